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

/** What the CSV leaves out. */
export function parseAnalyzerSummary(lines: readonly string[]): AnalyzerSummary {
  return {
    requestCount: firstCount(lines, 'Request count'),
    inferenceCount: firstCount(lines, 'Inference count'),
    executionCount: firstCount(lines, 'Execution count'),
    sequencesPerSecond: sequenceRate(lines),
  };
}
