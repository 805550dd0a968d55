/** A tensor with its values: numbers, or texts where those have no exact number (BYTES, 64-bit beyond 2^53). */
export interface DecodedTensor {
  readonly name: string;
  /** Triton's name: FP32, INT64, BYTES, … */
  readonly datatype: string;
  readonly shape: readonly number[];
  /** Row-major. */
  readonly values: ArrayLike<number> | readonly string[];
}

export const isTextual = (
  tensor: DecodedTensor,
): tensor is DecodedTensor & { readonly values: readonly string[] } => typeof tensor.values[0] === 'string';

export const isFloating = ({ datatype }: Pick<DecodedTensor, 'datatype'>): boolean =>
  /^(FP|BF)\d/.test(datatype);

export const typeOf = ({ datatype, shape }: Pick<DecodedTensor, 'datatype' | 'shape'>): string =>
  `${datatype} [${shape.join(', ')}]`;

/** The shortest number that is this FP32 value: 0.1 for 0.10000000149011612. */
export function shortSingle(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** Index on each axis of a row-major position. */
export function placeOf(shape: readonly number[], position: number): number[] {
  const place: number[] = [];
  let left = position;
  for (const size of [...shape].reverse()) {
    place.unshift(size === 0 ? 0 : left % size);
    left = size === 0 ? 0 : Math.floor(left / size);
  }
  return place;
}

/** What one comparison of two tensors found. */
export interface TensorDifference {
  readonly compared: number;
  readonly differing: number;
  readonly maxAbsDiff: number | null;
  readonly maxRelDiff: number | null;
  readonly nanCount: number;
  readonly infCount: number;
  /** The worst place; null where nothing differs at all. `size`: to find the worst of several samples. */
  readonly worst: {
    readonly at: readonly number[];
    readonly expected: string;
    readonly found: string;
    readonly size: number;
  } | null;
  /** null: within the rule. */
  readonly reason: string | null;
}

/** For rules whose values have no distance. */
export const withoutSizes = { maxAbsDiff: null, maxRelDiff: null, nanCount: 0, infCount: 0 } as const;

/** Nothing could be compared. */
export const incomparable = (reason: string): TensorDifference => ({
  ...withoutSizes,
  ...{ compared: 0, differing: 0, worst: null, reason },
});
