/** Points drawn of one trace at most: more than a screen is wide, and few enough to draw ten times a second. */
export const maxDrawnPoints = 5000;

/**
 * Indices of the points to draw, ascending, `limit` (4 or more) at most; null when all are few enough. The points are cut
 * into runs of equal length, and of each its lowest and highest stay, so that an outlier is never lost; the first and
 * the last point stay too. NaN is a gap: one of each run stays, so that the line still breaks there.
 */
export function decimate(
  values: ArrayLike<number>,
  limit: number = maxDrawnPoints,
): readonly number[] | null {
  const count = values.length;
  if (count <= limit) return null;
  let gaps = false;
  for (let index = 0; index < count && !gaps; index += 1) gaps = Number.isNaN(values[index] ?? NaN);
  const runs = Math.max(1, Math.floor((limit - 2) / (gaps ? 3 : 2)));
  const kept: number[] = [0];
  const keep = (index: number): void => {
    if (index > (kept[kept.length - 1] ?? -1)) kept.push(index);
  };
  for (let run = 0; run < runs; run += 1) {
    const from = Math.floor((run * count) / runs);
    const to = Math.floor(((run + 1) * count) / runs);
    let low = -1;
    let high = -1;
    let gap = -1;
    let least = Infinity;
    let most = -Infinity;
    for (let index = from; index < to; index += 1) {
      const value = values[index] ?? NaN;
      if (value < least) {
        least = value;
        low = index;
      }
      if (value > most) {
        most = value;
        high = index;
      }
      if (gap < 0 && value !== value) gap = index;
    }
    for (const index of [low, high, gap].sort((a, b) => a - b)) keep(index);
  }
  keep(count - 1);
  return kept;
}
