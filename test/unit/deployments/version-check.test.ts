import { describe, expect, it } from 'vitest';
import { outputDifference } from '../../../main/deployments/version-check';
import type { Tensor } from '../../../main/triton/tensor';

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
    expect(text).toBe('OUTPUT__0 differs by up to 0.5 in 1 of 3 values');
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
