import { invalidInput, type WorkbenchError } from '../../contract/errors';
import type { LoadPoint } from '../../contract/measured/results';
import { fileLimits } from '../../contract/reader-limits';
import { loadKey, mostUnderWay } from '../../contract/run/sweep';
import { shortText, someOf } from '../../platform/lines';
import { analyzerColumns } from '../analyzer/parse-analyzer-output';

/** The levels of a file, and further information. */
export interface Capture {
  readonly points: readonly LoadPoint[];
  /** The file states batch sizes. */
  readonly saysBatch?: boolean;
  readonly notes: readonly string[];
}

export interface CaptureOptions {
  readonly fileName: string;
  /** Batch size, which perf_analyzer's files do not state. */
  readonly batchSize: number;
}

const { inferencesPerSecond: throughputColumn, p50Us, p90Us, p95Us, p99Us, ...optional } = analyzerColumns;
const required = { p50Us, p90Us, p95Us, p99Us } as const;
const gpuColumns = {
  utilization: 'Avg GPU Utilization',
  powerW: 'Avg GPU Power Usage',
  maxMemoryBytes: 'Max GPU Memory Usage',
  totalMemoryBytes: 'Total GPU Memory',
} as const;
/** Sums of other columns; the published scripts add the last one. */
const derived = ['request/response', 'response wait', 'avg latency'];
/** First column of the published scripts, which write several sweeps into a file. */
const batchColumns = ['Batch', 'batch_size'];
const number = /^\d+(\.\d+)?(e[+-]?\d+)?$/i;

const { columns: mostColumns, levels: mostLevels, gpus: mostGpus } = fileLimits.captureCsv;

interface Header {
  readonly names: readonly string[];
  readonly loadColumn: string;
  /** null in perf_analyzer's own files. */
  readonly batchColumn: string | null;
}

/** A row with its position for messages. */
class Row {
  constructor(
    private readonly names: readonly string[],
    private readonly cells: readonly string[],
    private readonly where: string,
  ) {}

  fail(message: string, name?: string): WorkbenchError {
    return invalidInput(
      name === undefined ? this.where : `${this.where}, column "${shortText(name)}"`,
      message,
      'Use a CSV file written by perf_analyzer with -f.',
    );
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  text(name: string): string {
    return (this.cells[this.names.indexOf(name)] ?? '').trim();
  }

  number(name: string): number {
    const text = this.text(name);
    if (!number.test(text)) throw this.fail(`"${shortText(text)}" is not a number`, name);
    return Number(text);
  }

  /** Parses `GPU-1:0.33;GPU-2:0.5;`. */
  byGpu(name: string): Map<string, number> {
    const values = new Map<string, number>();
    for (const part of this.text(name).split(';')) {
      if (part.trim() === '') continue;
      const [, uuid, value] = /^(.+):([^:]+)$/.exec(part.trim()) ?? [];
      if (uuid === undefined || value === undefined || !number.test(value)) {
        throw this.fail(`"${shortText(part)}" is not a GPU value`, name);
      }
      values.set(shortText(uuid), Number(value));
      if (values.size > mostGpus) throw this.fail(`There are more than ${mostGpus} GPUs`, name);
    }
    return values;
  }
}

function gpusOf(row: Row): LoadPoint['gpus'] {
  const all = Object.entries(gpuColumns).map(
    ([key, name]) => [key, row.has(name) ? row.byGpu(name) : new Map<string, number>()] as const,
  );
  const uuids = [...new Set(all.flatMap(([, values]) => [...values.keys()]))];
  if (uuids.length === 0) return undefined;
  const of = (key: string, uuid: string) => all.find(([name]) => name === key)?.[1].get(uuid) ?? null;
  return uuids.map((uuid) => ({
    uuid,
    utilization: of('utilization', uuid),
    powerW: of('powerW', uuid),
    maxMemoryBytes: of('maxMemoryBytes', uuid),
    totalMemoryBytes: of('totalMemoryBytes', uuid),
  }));
}

function pointOf(row: Row, { loadColumn, batchColumn }: Header, options: CaptureOptions): LoadPoint {
  const load = row.number(loadColumn);
  const byRate = loadColumn === 'Request Rate';
  if (!byRate && (!Number.isSafeInteger(load) || load < 1))
    throw row.fail(`${load} is not a concurrency`, loadColumn);
  if (byRate && load <= 0) throw row.fail('A request rate must be above 0', loadColumn);
  const times = (names: Readonly<Record<string, string>>, missing: null) =>
    Object.fromEntries(
      Object.entries(names).map(([key, name]) => [key, row.has(name) ? row.number(name) : missing]),
    );
  const gpus = gpusOf(row);
  return {
    batchSize: batchOf(row, batchColumn, options),
    concurrency: byRate ? mostUnderWay : load,
    ...(byRate ? { requestRate: load } : {}),
    inferencesPerSecond: row.number(throughputColumn),
    ...(times(optional, null) as Record<keyof typeof optional, number | null>),
    ...(Object.fromEntries(Object.entries(required).map(([key, name]) => [key, row.number(name)])) as Record<
      keyof typeof required,
      number
    >),
    requestCount: null,
    // perf_analyzer exits at the first failed request, and omits unstable levels.
    errorCount: 0,
    stable: true,
    flags: [],
    loadTool: 'perf_analyzer',
    protocol: null,
    meanServerBatch: null,
    throughputIntervalIps: null,
    ...(gpus === undefined ? {} : { gpus }),
    windows: [],
    elapsedUs: null,
  };
}

/** The file's batch size, or the given one. */
function batchOf(row: Row, column: string | null, options: CaptureOptions): number {
  if (column === null) return options.batchSize;
  const batch = row.number(column);
  if (!Number.isSafeInteger(batch) || batch < 1) throw row.fail(`${batch} is not a batch size`, column);
  return batch;
}

function readHeader(text: string, fileName: string): Header {
  const where = `${fileName}, line 1`;
  const names = text.split(',', mostColumns + 1).map((name) => name.trim());
  const loadColumn = ['Concurrency', 'Request Rate'].find((name) => names.includes(name));
  const lacking = [throughputColumn, ...Object.values(required)].filter((name) => !names.includes(name));
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) < index);
  const refused = (message: string) =>
    invalidInput(where, message, 'Use a file written by perf_analyzer with -f or --profile-export-file.');
  if (names.length > mostColumns) throw refused(`There are more than ${mostColumns} columns`);
  if (names.includes('p99 latency (ms)'))
    throw refused('This is a results table in milliseconds, not a perf_analyzer file');
  if (loadColumn === undefined)
    throw refused('The columns "Concurrency" and "Request Rate" are both missing');
  if (lacking.length > 0)
    throw refused(`There is no column ${lacking.map((name) => `"${name}"`).join(', ')}`);
  if (repeated !== undefined) throw refused(`The column "${shortText(repeated)}" appears twice`);
  return { names, loadColumn, batchColumn: batchColumns.find((name) => names.includes(name)) ?? null };
}

/**
 * Parses a CSV of perf_analyzer's `-f`, with or without `--verbose-csv`, `--collect-metrics` and `--percentile`.
 * Missing columns are null. Throws input-invalid with line and column.
 */
export function parseCaptureCsv(text: string, options: CaptureOptions): Capture {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const header = readHeader(lines[0] ?? '', options.fileName);
  const { names, loadColumn } = header;
  const points: LoadPoint[] = [];
  const headerText = (lines[0] ?? '').trim();
  const seen = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    // The published scripts repeat the header for each sweep.
    if (index === 0 || line.trim() === '' || line.trim() === headerText) continue;
    const cells = line.split(',', 2 * mostColumns);
    const row = new Row(names, cells, `${options.fileName}, line ${index + 1}`);
    // GPU rows end with a comma that the header lacks.
    const extra = cells.slice(names.length).some((cell) => cell.trim() !== '');
    if (cells.length < names.length || extra) {
      throw row.fail(`There are ${cells.length} values for ${names.length} columns`);
    }
    const load = row.number(loadColumn);
    const point = pointOf(row, header, options);
    const before = seen.get(loadKey(point));
    if (before !== undefined) throw row.fail(`${load} is already in line ${before}`, loadColumn);
    seen.set(loadKey(point), index + 1);
    points.push(point);
    if (points.length > mostLevels) throw row.fail(`There are more than ${mostLevels} levels`);
  }
  if (points.length === 0) {
    throw invalidInput(
      `${options.fileName}, line 2`,
      'The file has no level: perf_analyzer found no steady level',
      'Measure again with longer windows (--measurement-interval), or import its profile export.',
    );
  }
  const known = [
    ...[loadColumn, throughputColumn, ...Object.values(required), ...Object.values(optional)],
    ...[...Object.values(gpuColumns), ...derived, ...batchColumns, ''],
  ];
  const unknown = names.filter((name) => !known.includes(name));
  const absent = Object.values(optional).filter((name) => !names.includes(name));
  return {
    points,
    saysBatch: header.batchColumn !== null,
    notes: [
      ...(absent.length === 0 ? [] : [`The file has no ${absent.join(', ')}.`]),
      ...(unknown.length === 0 ? [] : [`Not imported: ${someOf(unknown)}.`]),
    ],
  };
}
