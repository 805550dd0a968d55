import { describe, expect, it } from 'vitest';
import { answerDifference, outputDifference } from '../../../main/deployments/version-check';
import { encodeTexts } from '../../../main/triton/encode-values';
import { repeatedRows, type Tensor } from '../../../main/triton/tensor';

const tensor = (shape: readonly number[], values: readonly number[]): Tensor => ({
  name: 'OUTPUT__0',
  datatype: 'FP32',
  shape,
  data: new Uint8Array(Float32Array.from(values).buffer),
});
const whole = { expected: Number.POSITIVE_INFINITY, served: Number.POSITIVE_INFINITY };
const strict = { atol: { '*': 0.01 }, rtol: {}, maxMismatch: {} };

describe('outputDifference', () => {
  it('lets pass what lies within the tolerances, of the output or of all', () => {
    const expected = tensor([1, 3], [1, 2, 3]);
    expect(outputDifference(expected, tensor([1, 3], [1.005, 2, 3]), strict, whole)).toBeNull();
    const relative = { atol: {}, rtol: { OUTPUT__0: 0.1 }, maxMismatch: {} };
    expect(outputDifference(expected, tensor([1, 3], [1.05, 2.1, 3.2]), relative, whole)).toBeNull();
  });

  it('says how far and how often values are outside', () => {
    const served = tensor([1, 3], [1, 2.5, 3]);
    const text = outputDifference(tensor([1, 3], [1, 2, 3]), served, strict, whole);
    expect(text).toBe(
      'OUTPUT__0 differs by up to 0.5 in 1 of 3 values; worst at [0, 1]: 2.5 where 2 is expected',
    );
    const lax = { ...strict, maxMismatch: { OUTPUT__0: 0.34 } };
    expect(outputDifference(tensor([1, 3], [1, 2, 3]), served, lax, whole)).toBeNull();
  });

  it('takes NaN for agreement with nothing', () => {
    const text = outputDifference(tensor([1, 2], [1, 2]), tensor([1, 2], [1, Number.NaN]), strict, whole);
    expect(text).toContain('1 of 2 values');
  });

  it('takes nothing but an equal infinity for agreement with one, as the accuracy check does', () => {
    const { NaN: none, POSITIVE_INFINITY: high, NEGATIVE_INFINITY: low } = Number;
    for (const check of [strict, { ...strict, rtol: { '*': 0.1 } }]) {
      const differs = (wanted: number, got: number) =>
        outputDifference(tensor([1, 2], [1, wanted]), tensor([1, 2], [1, got]), check, whole);
      expect([differs(high, high), differs(low, low)]).toEqual([null, null]);
      for (const got of [0, high, none]) expect(differs(low, got)).toContain('in 1 of 2 values');
      for (const wanted of [0, none]) expect(differs(wanted, low)).toContain('in 1 of 2 values');
      expect(differs(none, 5)).toContain('in 1 of 2 values');
    }
  });

  it('compares texts letter by letter', () => {
    const text = (...texts: string[]): Tensor => ({
      ...{ name: 'LABEL', datatype: 'BYTES', shape: [texts.length], data: encodeTexts(texts) },
    });
    expect(outputDifference(text('cat', 'dog'), text('cat', 'dog'), strict, whole)).toBeNull();
    expect(outputDifference(text('cat', 'dog'), text('cat', 'dig'), strict, whole)).toBe(
      'LABEL differs in 1 of 2 values; worst at [1]: "dig" where "dog" is expected',
    );
  });

  it('refuses another number of values', () => {
    const text = outputDifference(tensor([1, 3], [1, 2, 3]), tensor([1, 2], [1, 2]), strict, whole);
    expect(text).toBe('OUTPUT__0 has 2 values where 3 are expected');
  });

  it('looks at the valid part of rows of different lengths alone', () => {
    const expected = tensor([1, 2, 4], [1, 2, 9, 9, 3, 4, 9, 9]);
    const served = tensor([1, 2, 3], [1, 2, 0, 3, 4, 0]);
    expect(outputDifference(expected, served, strict, { expected: 2, served: 2 })).toBeNull();
    expect(outputDifference(expected, served, strict, { expected: 2, served: 3 })).toContain(
      '3 values where 2',
    );
  });
});

describe('answerDifference', () => {
  const held = { check: { ...strict, canary: null, anyValues: false }, lengths: {} };

  it('compares a batch of kept samples row by row, over and over', () => {
    const wanted = repeatedRows(tensor([2, 2], [1, 2, 3, 4]), 5);
    expect(wanted.shape).toEqual([5, 2]);
    const same = tensor([5, 2], [1, 2, 3, 4, 1, 2, 3, 4, 1, 2]);
    expect(answerDifference([wanted], [same], held)).toBeNull();
    const last = tensor([5, 2], [1, 2, 3, 4, 1, 2, 3, 4, 1, 9]);
    expect(answerDifference([wanted], [last], held)).toContain('1 of 10 values');
    expect(answerDifference([wanted], [], held)).toBe('OUTPUT__0 is missing');
  });

  it('takes the length of each sample of a batch from that sample', () => {
    const answer = (width: number, values: readonly number[], lengths: readonly number[]): Tensor[] => [
      tensor([2, width], values),
      { ...tensor([2, 1], lengths), name: 'LENGTH__1' },
    ];
    const own = { ...held, lengths: { OUTPUT__0: 'LENGTH__1' } };
    const wanted = answer(3, [1, 2, 9, 3, 9, 9], [2, 1]);
    expect(answerDifference(wanted, answer(2, [1, 2, 3, 0], [2, 1]), own)).toBeNull();
    expect(answerDifference(wanted, answer(2, [1, 2, 4, 0], [2, 1]), own)).toContain('1 of 1 values');
  });

  it('goes by the rules of a golden file where the samples are of one', () => {
    const text = (...texts: string[]): Tensor => ({
      ...{ name: 'LABEL', datatype: 'BYTES', shape: [texts.length], data: encodeTexts(texts) },
    });
    const rules = { LABEL: { by: 'text' as const, ignore: ['case' as const] } };
    const golden = { ...held, rules: { ...rules, OUTPUT__0: { by: 'ranks' as const, top: 1, overlap: 1 } } };
    const wanted = [tensor([1, 3], [1, 9, 3]), text('Cat')];
    expect(answerDifference(wanted, [tensor([1, 3], [1, 7, 3]), text('cat')], golden)).toBeNull();
    expect(answerDifference(wanted, [tensor([1, 3], [1, 2, 3]), text('cat')], golden)).toContain(
      'OUTPUT__0: The 1 highest of 1 of 1 rows are others',
    );
    expect(answerDifference(wanted, [tensor([1, 3], [1, 9, 3]), text('dog')], golden)).toBe(
      'LABEL: The text differs; at [0], character 0: "dog" where "Cat" is expected',
    );
    expect(answerDifference(wanted, [text('cat')], golden)).toBe('OUTPUT__0: It is missing in the answer');
  });
});
