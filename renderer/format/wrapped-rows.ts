import type { LineList } from '../stores/logs/line-ring';

const tab = '    ';
/** From Hangul Jamo on, most letters are as wide as two. */
const wide = /[\u1100-\uffff]/g;

/** Tabs as spaces, so that every letter has its column. */
export const withoutTabs = (line: string): string =>
  line.includes('\t') ? line.replaceAll('\t', tab) : line;

/** Rows of a line in a fixed-width font that breaks anywhere; 1 for an empty one. */
export function rowsOf(line: string, columns: number): number {
  const text = withoutTabs(line);
  const length = text.length + (text.match(wide)?.length ?? 0);
  return Math.max(1, Math.ceil(length / Math.max(1, columns)));
}

/**
 * First row of every line when lines wrap: `tops[i]` of line i, and `tops[lines.length]` the number of all rows.
 * Looks at every line: half a million a second, so once a change of the list is enough.
 */
export function topsOf(lines: LineList, columns: number): Uint32Array {
  const tops = new Uint32Array(lines.length + 1);
  for (let index = 0; index < lines.length; index += 1) {
    tops[index + 1] = (tops[index] ?? 0) + rowsOf(lines.at(index) ?? '', columns);
  }
  return tops;
}

/** The line that stands at a row: the last whose top is not below it. */
export function lineAtRow(tops: Uint32Array, row: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
