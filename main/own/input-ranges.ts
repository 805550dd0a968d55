import type { ModelSource } from '../contract/run/run-spec';
import { inputRole } from '../domain/run/input-roles';
import { largestOf } from '../domain/statistics';

type Input = ModelSource['inputs'][number];

/** Lowest value and first above it; null: 0 or 1, which is valid for any flag and category. */
function rangeOf(input: Input, batched: boolean, longest: number): readonly [number, number] | null {
  const { name, datatype, sample, tableRows } = input;
  if (!/^U?INT\d+$|^BOOL$/.test(datatype)) return null;
  const sizes = batched ? sample.slice(1) : sample;
  switch (inputRole({ name, datatype, rank: sizes.length })) {
    // A sample of its own length has no padding.
    case 'mask':
      return [1, 2];
    case 'segment':
      return [0, Math.min(2, tableRows ?? 1)];
    case 'position':
      return [0, Math.max(1, Math.min(sizes.at(-1) ?? 1, tableRows ?? Infinity))];
    case 'length':
      return [longest, longest + 1];
    case null:
      return tableRows === undefined ? null : [0, tableRows];
  }
}

/**
 * Values of generated integers by what they mean, as `model.args.ranges` has them: "input_ids:0:30522,mask:1:2". null
 * where 0 and 1 will do for all.
 */
export function inputRanges({ inputs, batched }: Pick<ModelSource, 'inputs' | 'batched'>): string | null {
  const longest = largestOf([
    1,
    ...inputs.flatMap(({ shape, sample }) => sample.filter((_size, at) => at > 0 && (shape[at] ?? 0) < 0)),
  ]);
  const texts = inputs.flatMap((input) => {
    const range = rangeOf(input, batched, longest);
    // The list has commas between its entries.
    return range === null || input.name.includes(',') ? [] : [`${input.name}:${range.join(':')}`];
  });
  return texts.length === 0 ? null : texts.join(',');
}
