/**
 * What the values of an input mean, by its name, as exporters of tokenizers, language and speech models choose them:
 * 1 for every element (a request of its own length has no padding), 0 for the one segment, 0, 1, 2, … along the last
 * axis, or the length of the sample.
 */
export type InputRole = 'mask' | 'segment' | 'position' | 'length';

const roles: readonly (readonly [RegExp, InputRole])[] = [
  [/(^|_)(attention|attn|padding|pad|input|token|src|encoder|decoder|cross)_(\w+_)?masks?$|^masks?$/, 'mask'],
  [/(^|_)(token_type|segment)(_ids?)?$/, 'segment'],
  [/(^|_)(position|pos)_ids?$/, 'position'],
  [/(^|_)(len|lens|lengths?|seqlens?)$/, 'length'],
];

/** "inputLengths", "INPUT_LENGTHS__1" -> "input_lengths". */
const plainName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/_+\d+$/, '');

const isInteger = (datatype: string): boolean => /^U?INT\d+$/.test(datatype);

/** null: any value. Only masks may be truth values or, as attention masks of some exports, floats of one row. */
export function inputRole({
  name,
  datatype,
  rank,
}: {
  readonly name: string;
  readonly datatype: string;
  /** Axes of one sample. */
  readonly rank: number;
}): InputRole | null {
  const plain = plainName(name);
  const role = roles.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
  if (isInteger(datatype)) return role;
  if (role !== 'mask' || !/^(BOOL|FP\d+|BF16)$/.test(datatype)) return null;
  return datatype === 'BOOL' || rank <= 2 ? role : null;
}
