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
