import { WorkbenchError } from '../../contract/errors';
import type { ComposingModelColumns } from '../../contract/measured/composing';
import type { ResponseCache } from '../../contract/measured/results';

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
} as const;

/** A level's columns in microseconds, truncated by perf_analyzer. */
type AnalyzerColumns = Readonly<Record<Exclude<keyof typeof analyzerColumns, 'avgUs'>, number>> & {
  /** null if a percentile was requested, which replaces it. */
  readonly avgUs: number | null;
};

export interface AnalyzerRow {
  /** Concurrency or request rate. */
  readonly load: number;
  readonly loadKind: 'concurrency' | 'requestRate';
  readonly columns: AnalyzerColumns;
  /** null if no percentile was requested. */
  readonly percentileUs: number | null;
  /** Responses of decoupled models; null for others. */
  readonly responsesPerSecond: number | null;
}

const rateColumn = 'Request Rate';
const responseColumn = 'Response Throughput';

const refused = (message: string, text: string) =>
  new WorkbenchError('load-tool-failed', `perf_analyzer's CSV ${message}`, { details: text.slice(0, 4000) });

/**
 * Parses the only level of a `--verbose-csv` file, without the sections of composing models. Throws load-tool-failed
 * unless there is exactly one row, its columns are numbers and its throughput is above 0.
 */
export function parseAnalyzerCsv(text: string, percentile = 0): AnalyzerRow {
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
    Object.entries(analyzerColumns).map(([key, name]) => [
      key,
      key === 'avgUs' && percentile > 0 ? null : read(name),
    ]),
  ) as unknown as AnalyzerColumns;
  if (measured.inferencesPerSecond <= 0) throw refused('has a level without throughput', text);
  return {
    load: read(byRate ? rateColumn : 'Concurrency'),
    loadKind: byRate ? 'requestRate' : 'concurrency',
    columns: measured,
    percentileUs: percentile === 0 ? null : read(`p${percentile} latency`),
    responsesPerSecond: names.includes(responseColumn) ? read(responseColumn) : null,
  };
}

const number = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;
const passLine = new RegExp(
  String.raw`Pass \[(\d+)\] throughput: ${number} infer/sec\. (?:Avg|p\d+) latency: ${number} usec`,
);

/** Parses a "Pass" line of `-v`: one window with its mean or requested percentile. null for other lines. */
export function parsePass(line: string) {
  const [, index, throughput, avg] = passLine.exec(line) ?? [];
  if (index === undefined) return null;
  return { index: Number(index) - 1, inferencesPerSecond: Number(throughput), latencyUs: Number(avg) };
}

/** The first number that the pattern finds, or null. */
function numberOf(lines: readonly string[], pattern: RegExp): number | null {
  for (const line of lines) {
    const [, value] = pattern.exec(line) ?? [];
    if (value !== undefined) return Number(value);
  }
  return null;
}

const countOf = (lines: readonly string[], label: string) =>
  numberOf(lines, new RegExp(`^\\s*${label}: (\\d+)\\s*$`));

const usOf = (lines: readonly string[], label: string) =>
  numberOf(lines, new RegExp(`\\b${label} (\\d+) usec`));

const sequenceLine = new RegExp(String.raw`^\s*Sequence count: \d+ \(${number} seq/sec\)`);

const heading = /^\s*Composing models:\s*$/;

/** Not for ensembles, whose times are sums over their models. */
function cacheOf(lines: readonly string[]): ResponseCache | null {
  const models = lines.findIndex((line) => heading.test(line));
  const own = models < 0 ? lines : lines.slice(0, models);
  const hitCount = countOf(own, 'Cache hit count') ?? 0;
  const missCount = countOf(own, 'Cache miss count') ?? 0;
  if (hitCount + missCount === 0) return null;
  const us = (label: string, count: number) => (models >= 0 || count === 0 ? null : usOf(own, label));
  return {
    hitCount,
    missCount,
    hitUs: us('Average Cache Hit Latency:', hitCount),
    missUs: us('cache lookup/insertion', missCount),
  };
}

/** Figures that the CSV lacks. */
export function parseAnalyzerSummary(lines: readonly string[]) {
  return {
    /** Client counts over the merged windows; null if not printed. */
    requestCount: countOf(lines, 'Request count'),
    // The model itself, without composing models.
    inferenceCount: countOf(lines, 'Inference count'),
    executionCount: countOf(lines, 'Execution count'),
    /** Completed sequences per second, for stateful models. */
    sequencesPerSecond: numberOf(lines, sequenceLine),
    /** The model itself; null without a response cache. */
    cache: cacheOf(lines),
  };
}

const summary = /^\s*Server:\s*$/;
const end = /^Inferences\/Second vs\./;
const modelLine = /^\s*(\S.*), version:\s*(\d*)\s*$/;

/** Cache hit times are separate columns; inner ensembles print none. */
function columnsOf(modelName: string, modelVersion: string, lines: readonly string[]): ComposingModelColumns {
  const count = (label: string) => countOf(lines, label);
  const us = (label: string) => usOf(lines, label);
  return {
    modelName,
    modelVersion,
    requestCount: count('Successful request count'),
    inferenceCount: count('Inference count'),
    executionCount: count('Execution count'),
    queueUs: us('queue'),
    computeInputUs: us('compute input'),
    computeInferUs: us('compute infer'),
    computeOutputUs: us('compute output'),
    cacheHitCount: count('Cache hit count'),
    cacheMissCount: count('Cache miss count'),
  };
}

/** Composing models of the last summary in `-v` output, inner ensembles too. Times are truncated microseconds. */
export function parseComposing(lines: readonly string[]): readonly ComposingModelColumns[] {
  const last = lines.slice(lines.findLastIndex((line) => summary.test(line)) + 1);
  const start = last.findIndex((line) => heading.test(line));
  if (start < 0) return [];
  const models = new Map<string, { readonly name: string; readonly version: string; lines: string[] }>();
  let current: string[] = [];
  for (const line of last.slice(start + 1)) {
    if (end.test(line)) break;
    const [, name, version = ''] = modelLine.exec(line) ?? [];
    if (name === undefined) {
      current.push(line);
      continue;
    }
    current = [];
    const key = `${name}/${version}`;
    if (!models.has(key)) models.set(key, { name, version, lines: current });
  }
  return [...models.values()].map(({ name, version, lines: own }) => columnsOf(name, version, own));
}
