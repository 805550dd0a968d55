import type { MonitorHistory, SeriesField } from '../contract/monitor-history';

export interface Summary {
  readonly mean: number | null;
  readonly max: number | null;
}

/** Of the seconds that are kept. @param weight of each second; all the same when absent. */
export function summaryOf(
  history: MonitorHistory,
  key: string,
  field: SeriesField,
  weight?: (index: number) => number,
): Summary {
  const span = history.span();
  if (span === null) return { mean: null, max: null };
  let sum = 0;
  let weights = 0;
  let max = -Infinity;
  for (const [index, value] of history.series(key, field, span.fromMs, span.toMs).values.entries()) {
    const heavy = weight === undefined ? 1 : weight(index);
    if (Number.isNaN(value) || !(heavy > 0)) continue;
    sum += value * heavy;
    weights += heavy;
    if (value > max) max = value;
  }
  return weights === 0 ? { mean: null, max: null } : { mean: sum / weights, max };
}
