import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OutputRule, outputRuleSchema } from '../../../../main/contract/measured/output-rules';
import { compareOutput } from '../../../../main/domain/outputs/compare-outputs';
import type { DecodedTensor } from '../../../../main/domain/outputs/decoded-tensor';

interface Tensor extends Omit<DecodedTensor, 'values'> {
  /** "NaN", "Infinity" and "-Infinity" are numbers; JSON has none of them. */
  readonly data: readonly (number | string)[];
}

interface Vector {
  readonly what: string;
  readonly output: string;
  readonly rule: unknown;
  readonly expected: readonly Tensor[];
  readonly found: readonly Tensor[];
  readonly differing: number;
  readonly passes: boolean;
  /** Integers that have no exact number. */
  readonly wide?: boolean;
}

const path = join(import.meta.dirname, '../../../fixtures/outputs/rules.json');
const vectors = JSON.parse(readFileSync(path, 'utf8')) as readonly Vector[];

function decoded({ data, ...tensor }: Tensor, wide: boolean): DecodedTensor {
  if (tensor.datatype === 'BYTES' || wide) return { ...tensor, values: data.map(String) };
  return { ...tensor, values: data.map(Number) };
}

// The accuracy gate and the smoke test of a bundle are held to the same file: test/python/test_output_rules.py.
it.each(vectors)('$what', ({ output, rule, expected, found, differing, passes, wide = false }) => {
  const parsed: OutputRule = outputRuleSchema.parse(rule);
  const [wanted, got] = [expected, found].map((tensors) => tensors.map((one) => decoded(one, wide)));
  const difference = compareOutput(output, { expected: wanted ?? [], found: got ?? [] }, parsed);
  expect({ differing: difference.differing, passes: difference.reason === null }).toEqual({
    differing,
    passes,
  });
});
