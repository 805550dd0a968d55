import type { Look, LookLoad } from '../../../main/contract/study/search';
import { type Ratio, ratioOf } from '../../../main/domain/study/search/next-looks';

/** A configuration at a load. */
export interface Cell {
  readonly candidate: number;
  readonly load: LookLoad;
}

export interface PairedCells {
  readonly logs: readonly number[];
  readonly first: readonly Look[];
  readonly second: readonly Look[];
}

export interface PairLimits {
  readonly fewest: number;
  readonly most: number;
  /** Half width of the interval that is narrow enough. */
  readonly half: number;
}

export const halfWidth = ({ low, high }: Ratio): number => (high - low) / 2;

/** Measures two cells in pairs, the first of each by chance, until the interval of their ratio is narrow enough. */
export async function pairCells(
  cells: readonly [Cell, Cell],
  { fewest, most, half }: PairLimits,
  measure: (cell: Cell) => Promise<Look>,
): Promise<PairedCells> {
  const first: Look[] = [];
  const second: Look[] = [];
  const logs: number[] = [];
  const isNarrow = () => {
    const ratio = ratioOf(logs);
    return logs.length >= fewest && ratio !== null && halfWidth(ratio) <= half;
  };
  while (logs.length < most && !isNarrow()) {
    const isTurned = Math.random() < 0.5;
    const one = await measure(cells[isTurned ? 1 : 0]);
    const other = await measure(cells[isTurned ? 0 : 1]);
    first.push(isTurned ? other : one);
    second.push(isTurned ? one : other);
    const [a, b] = [first.at(-1)?.inferencesPerSecond ?? 0, second.at(-1)?.inferencesPerSecond ?? 0];
    logs.push(Math.log(Math.max(a, 1e-9) / Math.max(b, 1e-9)));
  }
  return { logs, first, second };
}
