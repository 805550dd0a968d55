import { describe, expect, it } from 'vitest';
import { type OutputRules, outputRuleSchema } from '../../../../main/contract/measured/output-rules';
import { matched, overlapOf } from '../../../../main/domain/outputs/compare-detections';
import { compareOutputs } from '../../../../main/domain/outputs/compare-outputs';
import type { DecodedTensor } from '../../../../main/domain/outputs/decoded-tensor';

interface Seen {
  readonly box: readonly number[];
  readonly label: number;
  readonly score: number;
}

const cat: Seen = { box: [0, 0, 10, 10], label: 1, score: 0.9 };
const dog: Seen = { box: [20, 20, 40, 40], label: 2, score: 0.8 };
const car: Seen = { box: [100, 0, 150, 30], label: 3, score: 0.4 };

const outputsOf = (seen: readonly Seen[], padding = 0): DecodedTensor[] => {
  const rows = seen.length + padding;
  const padded = [
    ...seen,
    ...Array.from({ length: padding }, () => ({ box: [7, 7, 7, 7], label: 0, score: 0 })),
  ];
  return [
    { name: 'boxes', datatype: 'FP32', shape: [1, rows, 4], values: padded.flatMap(({ box }) => box) },
    { name: 'labels', datatype: 'INT64', shape: [1, rows], values: padded.map(({ label }) => label) },
    { name: 'scores', datatype: 'FP32', shape: [1, rows], values: padded.map(({ score }) => score) },
    { name: 'count', datatype: 'INT32', shape: [1, 1], values: [seen.length] },
  ];
};

const rule = (more: object = {}): OutputRules => ({
  boxes: outputRuleSchema.parse({ by: 'detections', labels: 'labels', scores: 'scores', ...more }),
});
const compare = (wanted: readonly Seen[], got: readonly Seen[], rules: OutputRules = rule(), padding = 0) => {
  const all = compareOutputs(
    [{ id: 'street', expected: outputsOf(wanted), found: outputsOf(got, padding) }],
    rules,
  );
  const output = all.find(({ output: name }) => name === 'boxes');
  if (output === undefined) throw new Error('the boxes were not compared');
  return { ...output, names: all.map(({ output: name }) => name) };
};

describe('detections', () => {
  it('in another order are the same, and their labels and scores are not compared by themselves', () => {
    expect(compare([cat, dog, car], [car, cat, dog])).toMatchObject({
      passed: true,
      compared: 3,
      differing: 0,
      names: ['boxes', 'count'],
    });
  });

  it('may move within the overlap, and their score within the tolerance', () => {
    const moved = { ...cat, box: [0, 0, 10, 11], score: 0.92 };
    expect(compare([cat], [moved]).passed).toBe(true);
    expect(compare([cat], [{ ...cat, box: [5, 5, 15, 15] }]).passed).toBe(false);
    expect(compare([cat], [{ ...cat, score: 0.5 }]).passed).toBe(false);
    expect(compare([cat], [moved], rule({ iou: 0.95 })).reason).toContain('overlaps it by 0.909');
  });

  it('of another label, missing or added are said', () => {
    expect(compare([cat, dog], [cat, { ...dog, label: 9 }]).reason).toContain(
      '1 of 2 detections have no match',
    );
    expect(compare([cat, dog], [cat])).toMatchObject({ passed: false, worst: { found: 'nothing' } });
    expect(compare([cat], [cat, dog]).reason).toBe(
      'boxes, sample street: 1 detections are not expected; the first is 2 [20.00, 20.00, 40.00, 40.00] with 0.8',
    );
    expect(compare([], []).passed).toBe(true);
  });

  it('below a score, and rows beyond their number, are left out', () => {
    expect(compare([cat], [cat, car], rule({ minScore: 0.5 })).passed).toBe(true);
    expect(compare([cat, dog], [dog, cat], rule({ count: 'count' }), 3).passed).toBe(true);
    expect(compare([cat, dog], [dog, cat], rule(), 3).passed).toBe(false);
  });

  it('in a crowd are matched where all can be at once', () => {
    // The first of the expected ones fits both, and the second only the one that is nearest to the first.
    expect(matched(2, 2, (one, other) => one === 0 || other === 0)).toEqual([1, 0]);
    const [a, b] = [
      { ...cat, box: [0, 0, 10, 10] },
      { ...cat, box: [3, 0, 13, 10] },
    ];
    const [x, y] = [
      { ...cat, box: [1, 0, 11, 10] },
      { ...cat, box: [-2, 0, 8, 10] },
    ];
    expect(compare([a, b], [x, y]).passed).toBe(true);
  });

  it('are columns of one output too', () => {
    const rows = (seen: readonly Seen[]): DecodedTensor[] => [
      {
        name: 'boxes',
        datatype: 'FP32',
        shape: [1, seen.length, 6],
        values: seen.flatMap(({ box, score, label }) => [...box, score, label]),
      },
    ];
    const rules: OutputRules = {
      boxes: outputRuleSchema.parse({ by: 'detections', scoreColumn: 4, labelColumn: 5 }),
    };
    const compared = (got: readonly Seen[]) =>
      compareOutputs([{ id: '0', expected: rows([cat, dog]), found: rows(got) }], rules)[0]?.passed;
    expect(compared([dog, cat])).toBe(true);
    expect(compared([dog, { ...cat, label: 7 }])).toBe(false);
  });

  it('that cannot be read are not taken for equal', () => {
    const reason = (found: DecodedTensor[], rules = rule()) =>
      compareOutputs([{ id: '0', expected: outputsOf([cat]), found }], rules)[0]?.reason;
    expect(reason(outputsOf([cat]).slice(0, 1))).toContain(
      'the output labels of the same detections is missing',
    );
    expect(reason([{ name: 'boxes', datatype: 'FP32', shape: [1, 3], values: [1, 2, 3] }])).toContain(
      '3 columns',
    );
    expect(reason(outputsOf([{ ...cat, box: [NaN, 0, 1, 1] }]))).toContain('no match');
  });
});

describe('overlapOf', () => {
  it('is intersection over union', () => {
    expect(overlapOf([0, 0, 10, 10], [5, 0, 15, 10])).toBeCloseTo(1 / 3);
    expect(overlapOf([0, 0, 1, 1], [2, 2, 3, 3])).toBe(0);
    expect(overlapOf([4, 4, 4, 4], [4, 4, 4, 4])).toBe(1);
    expect(overlapOf([NaN, 0, 1, 1], [0, 0, 1, 1])).toBe(0);
  });
});
