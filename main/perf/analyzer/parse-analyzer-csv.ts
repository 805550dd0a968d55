import { WorkbenchError } from '../../contract/errors';

/** What a row holds of a level; microseconds, as perf_analyzer truncates them. */
interface AnalyzerColumns {
  readonly inferencesPerSecond: number;
  readonly clientSendUs: number;
  readonly networkServerSendRecvUs: number;
  readonly serverQueueUs: number;
  readonly serverComputeInputUs: number;
  readonly serverComputeInferUs: number;
  readonly serverComputeOutputUs: number;
  readonly clientRecvUs: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p95Us: number;
  readonly p99Us: number;
  readonly avgUs: number;
}

/** The row of one level. */
export interface AnalyzerRow {
  /** Concurrency, or the request rate of an open loop. */
  readonly load: number;
  readonly loadKind: 'concurrency' | 'requestRate';
  readonly columns: AnalyzerColumns;
  /** Answers of decoupled models a second; null for other models. */
  readonly responsesPerSecond: number | null;
}

export const analyzerColumns = {
  inferencesPerSecond: 'Inferences/Second',
  clientSendUs: 'Client Send',
  networkServerSendRecvUs: 'Network+Server Send/Recv',
  serverQueueUs: 'Server Queue',
  serverComputeInputUs: 'Server Compute Input',
  serverComputeInferUs: 'Server Compute Infer',
  serverComputeOutputUs: 'Server Compute Output',
  clientRecvUs: 'Client Recv',
  p50Us: 'p50 latency',
  p90Us: 'p90 latency',
  p95Us: 'p95 latency',
  p99Us: 'p99 latency',
  avgUs: 'Avg latency',
} as const satisfies Readonly<Record<keyof AnalyzerColumns, string>>;

const rateColumn = 'Request Rate';
const responseColumn = 'Response Throughput';

const refused = (message: string, text: string) =>
  new WorkbenchError('load-tool-failed', `perf_analyzer's CSV ${message}`, { details: text.slice(0, 4000) });

/**
 * The one level of a `--verbose-csv` file. Sections of composing models behind it are not read.
 * Throws load-tool-failed unless there is exactly one row, every column in it is a number, and the throughput above 0.
 */
export function parseAnalyzerCsv(text: string): AnalyzerRow {
  const [header = '', ...rest] = text.split(/\r?\n/);
  const end = rest.indexOf('');
  const rows = end < 0 ? rest : rest.slice(0, end);
  const [only] = rows;
  if (only === undefined || rows.length !== 1) throw refused(`has ${rows.length} rows, not one`, text);
  const names = header.split(',');
  const values = only.split(',');
  const read = (name: string): number => {
    const at = names.indexOf(name);
    const value = at < 0 ? undefined : values[at];
    if (value === undefined || !/^\d+(\.\d+)?(e[+-]?\d+)?$/.test(value.trim())) {
      throw refused(`has no number in column "${name}"`, text);
    }
    return Number(value);
  };
  const byRate = names.includes(rateColumn);
  const measured = Object.fromEntries(
    Object.entries(analyzerColumns).map(([key, name]) => [key, read(name)]),
  ) as unknown as AnalyzerColumns;
  if (measured.inferencesPerSecond <= 0) throw refused('has a level without throughput', text);
  return {
    load: read(byRate ? rateColumn : 'Concurrency'),
    loadKind: byRate ? 'requestRate' : 'concurrency',
    columns: measured,
    responsesPerSecond: names.includes(responseColumn) ? read(responseColumn) : null,
  };
}
