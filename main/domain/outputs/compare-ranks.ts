import type { RanksRule } from '../../contract/measured/output-rules';
import { formatShare } from '../../contract/numbers';
import { type DecodedTensor, placeOf, type TensorDifference, withoutSizes } from './decoded-tensor';

/** Columns of the highest values, the highest first; NaN ranks last. */
function topOf(values: ArrayLike<number>, from: number, width: number, top: number): number[] {
  const rank = (column: number): number => {
    const value = values[from + column] ?? NaN;
    return Number.isNaN(value) ? -Infinity : value;
  };
  return Array.from({ length: width }, (_unused, column) => column)
    .sort((a, b) => rank(b) - rank(a) || a - b)
    .slice(0, top);
}

/** Equal values may change places at the edge of the highest. */
function ties(values: ArrayLike<number>, from: number, kept: readonly number[], column: number): boolean {
  const edge = values[from + (kept.at(-1) ?? 0)] ?? NaN;
  return values[from + column] === edge;
}

/** Which columns of each row, along the last axis, have the highest values. Both have the same shape. */
export function compareRanks(
  expected: DecodedTensor & { readonly values: ArrayLike<number> },
  found: DecodedTensor & { readonly values: ArrayLike<number> },
  { top, overlap }: RanksRule,
): TensorDifference {
  const width = expected.shape.at(-1) ?? 1;
  const rows = width === 0 ? 0 : expected.values.length / width;
  const size = Math.min(top, width);
  let differing = 0;
  let worst: TensorDifference['worst'] = null;
  let nanCount = 0;
  for (const values of [expected.values, found.values]) {
    for (let at = 0; at < values.length; at += 1) if (Number.isNaN(values[at])) nanCount += 1;
  }
  for (let row = 0; row < rows; row += 1) {
    const from = row * width;
    const wanted = topOf(expected.values, from, width, size);
    const got = topOf(found.values, from, width, size);
    const same = got.filter(
      (column) => wanted.includes(column) || ties(expected.values, from, wanted, column),
    ).length;
    // Of a share of three of five, three have to be the same.
    if (same >= overlap * size - 1e-9) continue;
    differing += 1;
    if (worst !== null && size - same <= worst.size) continue;
    const at = placeOf(expected.shape, from).slice(0, -1);
    worst = { at, expected: `[${wanted.join(', ')}]`, found: `[${got.join(', ')}]`, size: size - same };
  }
  const counted = { ...withoutSizes, nanCount, compared: rows, differing, worst };
  // A row of NaN has no order.
  if (nanCount > 0) return { ...counted, reason: `${nanCount} values are NaN, which have no rank` };
  if (worst === null) return { ...counted, reason: null };
  const share = overlap === 1 ? '' : `, where ${formatShare(overlap)} have to be the same`;
  const reason =
    `The ${size} highest of ${differing} of ${rows} rows are others${share}; ` +
    `row [${worst.at.join(', ')}]: columns ${worst.found} where ${worst.expected} are expected`;
  return { ...counted, reason };
}
