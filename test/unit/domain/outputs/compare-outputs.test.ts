import { describe, expect, it } from 'vitest';
import type { OutputRules } from '../../../../main/contract/measured/output-rules';
import { compareOutputs } from '../../../../main/domain/outputs/compare-outputs';
import type { DecodedTensor } from '../../../../main/domain/outputs/decoded-tensor';

const tensor = (
  name: string,
  values: readonly number[] | readonly string[],
  shape: readonly number[] = [values.length],
  datatype = typeof values[0] === 'string' ? 'BYTES' : 'FP32',
): DecodedTensor => ({ name, datatype, shape, values });

const one = (expected: DecodedTensor, found: DecodedTensor, rules: OutputRules = {}) => {
  const [output] = compareOutputs([{ id: '0', expected: [expected], found: [found] }], rules);
  if (output === undefined) throw new Error('no output was compared');
  return output;
};

describe('numbers', () => {
  it('are within absolute and relative tolerance, of which the type has a usual one', () => {
    expect(one(tensor('Y', [1, 1000]), tensor('Y', [1.00015, 1000.09]))).toMatchObject({
      passed: true,
      rule: 'within 1e-4 + 1e-4 × value',
      compared: 2,
    });
    const rules: OutputRules = { Y: { by: 'numbers', atol: 0, rtol: 1e-3 } };
    // The larger difference is within.
    expect(one(tensor('Y', [10_000, 1]), tensor('Y', [10_009, 1.5]), rules).worst).toMatchObject({ at: [1] });
    expect(one(tensor('Y', [1000, 0]), tensor('Y', [1001, 0]), rules).passed).toBe(true);
    expect(one(tensor('Y', [1000, 0]), tensor('Y', [1001, 1e-9]), rules)).toMatchObject({
      passed: false,
      differing: 1,
      maxAbsDiff: 1,
    });
  });

  it('name the place, the worst values and how many are outside', () => {
    const expected = tensor('Y', [1, 2, 3, 4, 5, 6], [2, 3]);
    const found = tensor('Y', [1, 2.5, 3, 4, 8, 6], [2, 3]);
    expect(one(expected, found)).toMatchObject({
      passed: false,
      differing: 2,
      maxAbsDiff: 3,
      worst: { sample: '0', at: [1, 1], expected: '5', found: '8' },
      reason:
        'Y, sample 0: 2 of 6 values are outside the tolerance; worst at [1, 1]: 8 where 5 is expected, a difference of 3',
    });
  });

  it('of NaN agree with nothing, and equal infinities agree', () => {
    expect(one(tensor('Y', [Infinity, 1]), tensor('Y', [Infinity, 1])).passed).toBe(true);
    expect(one(tensor('Y', [NaN]), tensor('Y', [NaN]))).toMatchObject({
      passed: false,
      nanCount: 1,
      worst: { expected: 'NaN', found: 'NaN' },
    });
    const rules: OutputRules = { Y: { by: 'numbers', atol: 1, rtol: 1 } };
    expect(one(tensor('Y', [Infinity]), tensor('Y', [5]), rules)).toMatchObject({
      passed: false,
      infCount: 1,
    });
    expect(one(tensor('Y', [5]), tensor('Y', [-Infinity]), rules).reason).toContain('(1 infinite)');
  });

  it('may be outside up to a share', () => {
    const rules: OutputRules = { Y: { by: 'numbers', atol: 0, rtol: 0, maxMismatch: 0.25 } };
    expect(one(tensor('Y', [1, 2, 3, 4]), tensor('Y', [1, 2, 3, 9]), rules).passed).toBe(true);
    expect(one(tensor('Y', [1, 2, 3, 4]), tensor('Y', [1, 2, 8, 9]), rules).passed).toBe(false);
  });

  it('are exact for integers and truth values', () => {
    const int = (values: number[]) => tensor('Y', values, [values.length], 'INT32');
    expect(one(int([1, 2]), int([1, 3])).rule).toBe('exactly');
    expect(one(int([1, 2]), int([1, 3])).passed).toBe(false);
  });

  it('beyond 2^53 are compared digit by digit', () => {
    const wide = (text: string) => tensor('Y', [text], [1], 'INT64');
    expect(one(wide('9007199254740993'), wide('9007199254740993')).passed).toBe(true);
    expect(one(wide('9007199254740993'), wide('9007199254740992')).passed).toBe(false);
    expect(one(wide('9007199254740993'), tensor('Y', [5], [1], 'INT64')).passed).toBe(false);
  });
});

describe('form', () => {
  it('of type, shape and presence is said', () => {
    const expected = tensor('Y', [1, 2]);
    expect(one(expected, tensor('Y', [1, 2], [2], 'FP64')).reason).toBe(
      'Y, sample 0: It is FP64 [2] where FP32 [2] is expected',
    );
    expect(one(expected, tensor('Y', [1, 2], [1, 2])).reason).toContain('has the shape [1, 2] where [2]');
    expect(one(expected, tensor('Z', [1, 2])).reason).toContain('It is missing in the answer');
  });

  it('of nothing is equal to nothing', () => {
    expect(one(tensor('Y', [], [0, 4]), tensor('Y', [], [0, 4]))).toMatchObject({
      passed: true,
      compared: 0,
    });
  });
});

describe('texts', () => {
  const compared = (a: string, b: string, ignore: ('case' | 'whitespace' | 'json')[] = []) =>
    one(tensor('T', [a]), tensor('T', [b]), { T: { by: 'text', ignore } });

  it('are compared byte for byte, with the place of the first difference', () => {
    expect(compared('a cat', 'a cat').passed).toBe(true);
    expect(compared('a cat', 'a dog').reason).toBe(
      'T, sample 0: The text differs; at [0], character 2: "a dog" where "a cat" is expected',
    );
    expect(compared('Cat', 'cat').passed).toBe(false);
  });

  it('without regard to case, whitespace or the form of JSON', () => {
    expect(compared('A Cat', 'a cat', ['case']).passed).toBe(true);
    expect(compared(' a\n cat', 'a cat ', ['whitespace']).passed).toBe(true);
    expect(
      compared('{"a": 1, "b": [1, {"d": 2, "c": 3}]}', '{"b":[1,{"c":3,"d":2}],"a":1}', ['json']).passed,
    ).toBe(true);
    expect(compared('{"a": [1, 2]}', '{"a": [2, 1]}', ['json']).passed).toBe(false);
    expect(compared('[["a",1]]', '{"a":1}', ['json']).passed).toBe(false);
    expect(compared('no json', 'no json', ['json']).passed).toBe(true);
    expect(compared('{"a": "X"}', '{"a":"x"}', ['json', 'case']).passed).toBe(true);
  });

  it('count how many differ', () => {
    const output = one(tensor('T', ['a', 'b', 'c']), tensor('T', ['a', 'x', 'y']));
    expect(output).toMatchObject({ compared: 3, differing: 2, maxAbsDiff: null });
    expect(output.reason).toContain('2 of 3 texts differ; at [1]');
  });
});

describe('ranks', () => {
  const rules = (top: number, overlap = 1): OutputRules => ({ Y: { by: 'ranks', top, overlap } });
  const row = (...values: number[]) => tensor('Y', values, [1, values.length]);

  it('are the highest values of each row, in any order', () => {
    expect(one(row(0.1, 0.5, 0.3, 0.2), row(0, 0.4, 0.45, 0.1), rules(2)).passed).toBe(true);
    expect(one(row(0.1, 0.5, 0.3, 0.2), row(0.6, 0.5, 0.3, 0.2), rules(2))).toMatchObject({
      passed: false,
      differing: 1,
      worst: { at: [0], expected: '[1, 2]', found: '[0, 1]' },
    });
  });

  it('may overlap by a share', () => {
    expect(one(row(5, 4, 3, 2, 1, 0), row(5, 4, 0, 2, 3, 1), rules(3, 0.6)).passed).toBe(true);
    expect(one(row(5, 4, 3, 2, 1, 0), row(0, 4, 1, 2, 3, 5), rules(3, 0.6)).passed).toBe(false);
  });

  it('allow equal values to change places at the edge', () => {
    expect(one(row(3, 2, 2, 1), row(3, 1.9, 2, 1), rules(2)).passed).toBe(true);
  });

  it('have no meaning for NaN and texts', () => {
    expect(one(row(1, NaN), row(1, 2), rules(1)).reason).toContain('NaN, which have no rank');
    expect(one(tensor('Y', ['a']), tensor('Y', ['a']), rules(1)).reason).toContain(
      'texts, which have no rank',
    );
  });
});

describe('several samples', () => {
  it('come to one line per output, with the worst of them', () => {
    const compared = compareOutputs([
      {
        id: 'first',
        expected: [tensor('Y', [1]), tensor('T', ['a'])],
        found: [tensor('Y', [1]), tensor('T', ['a'])],
      },
      { id: 'second', expected: [tensor('Y', [1])], found: [tensor('Y', [3])] },
      { id: 'third', expected: [tensor('Y', [1])], found: [tensor('Y', [2])] },
    ]);
    expect(compared.map(({ output, samples, passed }) => [output, samples, passed])).toEqual([
      ['Y', 3, false],
      ['T', 1, true],
    ]);
    expect(compared[0]).toMatchObject({ worst: { sample: 'second' }, maxAbsDiff: 2, differing: 2 });
    expect(compared[0]?.reason).toMatch(/^Y, sample second: .*\(2 of 3 samples differ\)$/);
  });

  it('take the rule of * where an output has no own one', () => {
    const rules: OutputRules = { '*': { by: 'numbers', atol: 5, rtol: 0 } };
    expect(one(tensor('Y', [1]), tensor('Y', [4]), rules).passed).toBe(true);
    // Whole numbers are exact unless their own rule says otherwise.
    expect(one(tensor('Y', [1], [1], 'INT8'), tensor('Y', [4], [1], 'INT8'), rules).passed).toBe(false);
  });
});
