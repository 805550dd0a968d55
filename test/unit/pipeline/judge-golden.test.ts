import { describe, expect, it } from 'vitest';
import type { GoldenCheck } from '../../../main/contract/golden';
import { accuracyResultSchema } from '../../../main/contract/measured/results';
import { goldenResult, goldenRules } from '../../../main/pipeline/judge-golden';

const output = (name: string, datatype: string) => ({ name, datatype, shape: [1], data: new Uint8Array(4) });
const spec = { atol: { '*': 0.1, Y: 0.2 }, rtol: {}, maxMismatch: { Y: 0.5 } };
const settings = { ...spec, maxMetricDelta: 0, thresholds: {}, allowUnverified: false };

describe('goldenRules', () => {
  it('are those of the file, and the tolerances of the run for floats without one', () => {
    const samples = [
      { outputs: [output('X', 'FP32'), output('Y', 'FP16'), output('N', 'INT32'), output('F', 'FP32')] },
    ];
    expect(goldenRules(settings, { F: { by: 'ranks', top: 1, overlap: 1 } }, samples)).toEqual({
      X: { by: 'numbers', atol: 0.1, rtol: 0 },
      Y: { by: 'numbers', atol: 0.2, rtol: 0, maxMismatch: 0.5 },
      F: { by: 'ranks', top: 1, overlap: 1 },
    });
  });
});

describe('goldenResult', () => {
  const compared = {
    ...{ output: 'Y', rule: 'within 0.2 + 0 × value', samples: 2, compared: 8, differing: 2 },
    ...{ maxAbsDiff: 3, maxRelDiff: null, nanCount: 0, infCount: 0 },
    worst: { sample: '1', at: [0], expected: '1', found: '4' },
    ...{ passed: false, reason: 'Y, sample 1: 2 of 4 values are outside' },
  };
  const check: GoldenCheck = {
    model: 'm',
    samples: 2,
    outputs: [compared],
    notChecked: ['Z'],
    passed: false,
  };
  const rules = { Y: { by: 'numbers' as const, atol: 0.2, rtol: 0 } };

  it('is kept as the gate keeps it, with the file and what is not checked', () => {
    const result = goldenResult(check, rules, 'ocr.json');
    expect(accuracyResultSchema.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      ...{ passed: false, golden: 'ocr.json', notChecked: ['Z'], sampleCount: 2, metrics: [] },
      reasons: ['Y, sample 1: 2 of 4 values are outside'],
      warnings: ['Z is not checked: the golden file has no values for it'],
      outputs: [{ output: 'Y', atol: 0.2, rtol: 0, mismatchShare: 0.25, worstSample: '1', passed: false }],
    });
  });

  it('has the figures of labels as metrics, which decide only with a threshold', () => {
    const agreeing = { ...compared, passed: true, reason: null, worst: null, differing: 0 };
    const labeled: GoldenCheck = {
      ...{ ...check, outputs: [agreeing], notChecked: [], passed: true, labeled: 4 },
      figures: [
        { name: 'accuracy', framework: 0.75, triton: 0.5 },
        { name: 'word-error-rate', framework: 0.25, triton: 0.25 },
      ],
    };
    const result = goldenResult(labeled, rules, 'x');
    expect(accuracyResultSchema.parse(result)).toEqual(result);
    expect([result.passed, result.metrics]).toEqual([
      true,
      [
        { name: 'accuracy', framework: 0.75, triton: 0.5, threshold: null, passed: true },
        {
          ...{ name: 'word-error-rate', framework: 0.25, triton: 0.25, threshold: null },
          ...{ better: 'lower', passed: true },
        },
      ],
    ]);
    const thresholds = { accuracy: 0.6, 'word-error-rate': 0.3, 'token-f1': 0.5 };
    const judged = goldenResult(labeled, rules, 'x', thresholds);
    expect(judged.metrics.map(({ name, passed }) => [name, passed])).toEqual([
      ['accuracy', false],
      ['word-error-rate', true],
      ['token-f1', false],
    ]);
    expect([judged.passed, judged.reasons]).toEqual([
      false,
      [
        'Accuracy: 0.5000 on Triton is below the threshold 0.6000',
        'Token F1: no value, as the golden file has no labels for it',
      ],
    ]);
    const [, slow] = goldenResult(labeled, rules, 'x', { 'word-error-rate': 0.2 }).metrics;
    expect(slow).toMatchObject({ threshold: 0.2, passed: false });
  });

  it('passes where every output of the file agrees', () => {
    const agreeing = { ...compared, passed: true, reason: null, worst: null, differing: 0 };
    const result = goldenResult({ ...check, outputs: [agreeing], notChecked: [], passed: true }, rules, 'x');
    expect(result).toMatchObject({ passed: true, reasons: [], warnings: [] });
    expect(result.notChecked).toBeUndefined();
  });
});
