import { fileLimits } from '../../contract/reader-limits';

const most = fileLimits.trees;

/** A list of a file: of JSON, or a typed one of UBJSON, of which only whole numbers are kept. */
export type Numbers = ArrayLike<number | boolean>;

/** Throws an Error where the number is not a whole one from `least` to `largest`. */
export function wholeNumber(value: unknown, least: number, largest: number, what: string): number {
  // XGBoost writes parameters as text.
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > largest) {
    throw new Error(`${what} is not a whole number from ${least} to ${largest}`);
  }
  return number;
}

export const featureCount = (value: unknown): number =>
  wholeNumber(value, 1, most.features, 'the number of columns');

/**
 * Every inner node has two children, and every node but the root one parent. Throws an Error. @param children of a
 * node; null for a leaf
 */
export function checkShape(
  nodes: number,
  children: (node: number) => readonly [number, number] | null,
  tree: number,
): void {
  const seen = new Uint8Array(nodes);
  const waiting = [0];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!Number.isInteger(at) || at < 0 || at >= nodes) {
      throw new Error(`tree ${tree} names a node that it does not have`);
    }
    if (seen[at] === 1) throw new Error(`tree ${tree} leads to one node by two ways`);
    seen[at] = 1;
    const pair = children(at);
    if (pair !== null) waiting.push(pair[0], pair[1]);
  }
}

export interface TreeCounts {
  readonly trees: number;
  readonly nodes: number;
}

/** Throws an Error for more than a model has. */
export function checkCounts({ trees, nodes }: TreeCounts): void {
  if (trees > most.trees) throw new Error(`it has more than ${most.trees} trees`);
  if (nodes > most.nodes) throw new Error(`its trees have more than ${most.nodes} nodes`);
}

/** Names of columns or none. Throws an Error. */
export function columnNames(value: unknown, features: number): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [];
  if (names.length === 0) return [];
  if (names.length !== features || !names.every((name) => typeof name === 'string')) {
    throw new Error(`it has ${names.length} names for ${features} columns`);
  }
  return names;
}
