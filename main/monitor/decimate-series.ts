import type { MonitorSeries } from '../contract/monitor-history';

/**
 * Points to draw, `limit` at about the most: of each run of seconds its lowest and highest, so that no outlier is lost,
 * and a NaN where a second was not measured, so that the line breaks there.
 */
export function decimateSeries(
  { timesMs, values }: MonitorSeries,
  limit: number,
): readonly (readonly [timeMs: number, value: number])[] {
  const runs = Math.max(1, Math.floor(limit / 3));
  const length = Math.max(1, Math.ceil(values.length / runs));
  const kept: (readonly [number, number])[] = [];
  for (let from = 0; from < values.length; from += length) {
    const to = Math.min(values.length, from + length);
    let low = -1;
    let high = -1;
    let gap = -1;
    for (let at = from; at < to; at += 1) {
      const value = values[at] ?? NaN;
      if (Number.isNaN(value)) gap = gap < 0 ? at : gap;
      else {
        if (low < 0 || value < (values[low] ?? NaN)) low = at;
        if (high < 0 || value > (values[high] ?? NaN)) high = at;
      }
    }
    const chosen = [...new Set([low, high, gap])].filter((at) => at >= 0).sort((a, b) => a - b);
    for (const at of chosen) kept.push([timesMs[at] ?? NaN, values[at] ?? NaN]);
  }
  return kept;
}
