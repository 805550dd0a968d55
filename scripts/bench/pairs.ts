import { meanInterval } from '../../main/domain/statistics';

/** Middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2;
}

export interface PairedRatio {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The ratios first / second of measurements that were taken side by side. */
export function pairedRatio(pairs: readonly (readonly [first: number, second: number])[]): PairedRatio {
  const ratios = pairs.map(([first, second]) => first / second);
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}

/** Of the ratios of two series that were taken side by side: logarithms. `half` of their 95 % interval; null: not known. */
function logRatios(first: readonly number[], second: readonly number[]) {
  const logs = first.map((value, at) => Math.log(value / (second[at] ?? NaN)));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return { logs, mean, half: meanInterval(logs) };
}

/**
 * The ratio of two series that were taken side by side, as a geometric mean with its 95 % interval: "1.004 (0.991 to 1.017),
 * median 1.002, 30 pairs". Of fewer than three pairs the interval is not known.
 */
export function pairedText(first: readonly number[], second: readonly number[]): string {
  const { logs, mean, half } = logRatios(first, second);
  const shown = (log: number): string => Math.exp(log).toFixed(3);
  const interval = half === null ? 'interval not known' : `${shown(mean - half)} to ${shown(mean + half)}`;
  return `${shown(mean)} (${interval}), median ${shown(median(logs))}, ${logs.length} pairs`;
}

/** The upper end of that interval; Infinity where it is not known. */
export function highestRatio(first: readonly number[], second: readonly number[]): number {
  const { mean, half } = logRatios(first, second);
  return half === null ? Number.POSITIVE_INFINITY : Math.exp(mean + half);
}
