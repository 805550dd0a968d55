import type { ResponseCache } from '../../contract/results';

/** One "Pass" line of `-v`: a window. */
export interface AnalyzerPass {
  readonly index: number;
  readonly inferencesPerSecond: number;
  readonly avgUs: number;
}

const number = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;
const passLine = new RegExp(
  String.raw`Pass \[(\d+)\] throughput: ${number} infer/sec\. Avg latency: ${number} usec`,
);

/** null for any other line. */
export function parsePass(line: string): AnalyzerPass | null {
  const [, index, throughput, avg] = passLine.exec(line) ?? [];
  if (index === undefined) return null;
  return { index: Number(index) - 1, inferencesPerSecond: Number(throughput), avgUs: Number(avg) };
}

export interface AnalyzerSummary {
  /** Of the client, over the merged windows; null where the output does not say. */
  readonly requestCount: number | null;
  /** Of the model itself, not of the models it is composed of. */
  readonly inferenceCount: number | null;
  readonly executionCount: number | null;
  /** Sequences ended a second, of stateful models. */
  readonly sequencesPerSecond: number | null;
  /** Of the model itself; null without a cache, and where it was not asked. */
  readonly cache: ResponseCache | null;
}

function firstCount(lines: readonly string[], label: string): number | null {
  for (const line of lines) {
    const [, value] = new RegExp(`^\\s*${label}: (\\d+)\\s*$`).exec(line) ?? [];
    if (value !== undefined) return Number(value);
  }
  return null;
}

const sequenceLine = new RegExp(String.raw`^\s*Sequence count: \d+ \(${number} seq/sec\)`);

function sequenceRate(lines: readonly string[]): number | null {
  for (const line of lines) {
    const [, rate] = sequenceLine.exec(line) ?? [];
    if (rate !== undefined) return Number(rate);
  }
  return null;
}

function firstUs(lines: readonly string[], label: string): number | null {
  for (const line of lines) {
    const [, value] = new RegExp(`\\b${label} (\\d+) usec`).exec(line) ?? [];
    if (value !== undefined) return Number(value);
  }
  return null;
}

/** The times of an ensemble are sums over its models, and not its own. */
function cacheOf(lines: readonly string[]): ResponseCache | null {
  const models = lines.findIndex((line) => /^\s*Composing models:\s*$/.test(line));
  const own = models < 0 ? lines : lines.slice(0, models);
  const hitCount = firstCount(own, 'Cache hit count') ?? 0;
  const missCount = firstCount(own, 'Cache miss count') ?? 0;
  if (hitCount + missCount === 0) return null;
  const us = (label: string, count: number) => (models >= 0 || count === 0 ? null : firstUs(own, label));
  return {
    hitCount,
    missCount,
    hitUs: us('Average Cache Hit Latency:', hitCount),
    missUs: us('cache lookup/insertion', missCount),
  };
}

/** What the CSV leaves out. */
export function parseAnalyzerSummary(lines: readonly string[]): AnalyzerSummary {
  return {
    requestCount: firstCount(lines, 'Request count'),
    inferenceCount: firstCount(lines, 'Inference count'),
    executionCount: firstCount(lines, 'Execution count'),
    sequencesPerSecond: sequenceRate(lines),
    cache: cacheOf(lines),
  };
}
