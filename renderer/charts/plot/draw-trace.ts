import type { Trace } from '../trace';
import { decimate, maxDrawnPoints } from './decimate';

function picked<Value>(values: ArrayLike<Value>, kept: readonly number[]): Value[] {
  const found: Value[] = [];
  for (const index of kept) {
    const value = values[index];
    if (value !== undefined) found.push(value);
  }
  return found;
}

/** First index whose x is not below `bound`, in ascending `x`. */
function firstFrom(x: ArrayLike<number | string>, bound: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(x[middle]) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** null: all. */
function indicesToDraw(
  trace: Trace,
  range: readonly [number, number] | null,
  limit: number,
): readonly number[] | null {
  if (trace.type !== 'scatter' || trace.x.length <= limit) return null;
  if (range === null) return decimate(trace.y, limit);
  // One point beyond each border, so that the line runs out of the picture.
  const from = Math.max(0, firstFrom(trace.x, range[0]) - 1);
  const to = Math.min(trace.x.length, firstFrom(trace.x, range[1]) + 1);
  const part = decimate(Array.prototype.slice.call(trace.y, from, to) as number[], limit);
  return part === null
    ? Array.from({ length: to - from }, (_unused, offset) => from + offset)
    : part.map((index) => index + from);
}

function pickedBars(bars: NonNullable<Trace['error_y']>, kept: readonly number[]): Trace['error_y'] {
  const { array, arrayminus } = bars;
  return {
    ...bars,
    array: picked(array, kept),
    ...(arrayminus === undefined ? {} : { arrayminus: picked(arrayminus, kept) }),
  };
}

/**
 * The trace as plotly gets it: decimated to `limit` points, with the hover texts of those alone. A trace that is long has
 * ascending numbers on x.
 */
export function drawTrace(
  trace: Trace,
  range: readonly [number, number] | null,
  limit: number = maxDrawnPoints,
): object {
  const kept = indicesToDraw(trace, range, limit);
  const { textAt, ...drawn } = trace;
  const hover = (indices: readonly number[]): object =>
    textAt === undefined ? {} : { hovertext: indices.map(textAt) };
  if (kept === null) {
    return { ...drawn, ...hover(Array.from({ length: trace.x.length }, (_unused, index) => index)) };
  }
  const { marker, error_y: error, hovertext } = drawn;
  const symbol = marker?.symbol;
  return {
    ...drawn,
    x: picked(trace.x, kept),
    y: picked(trace.y, kept),
    ...(hovertext === undefined ? hover(kept) : { hovertext: picked(hovertext, kept) }),
    ...(symbol === undefined || typeof symbol === 'string'
      ? {}
      : { marker: { ...marker, symbol: picked(symbol, kept) } }),
    ...(error === undefined ? {} : { error_y: pickedBars(error, kept) }),
  };
}
