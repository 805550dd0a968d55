import { describe, expect, it } from 'vitest';
import type { OutputComparison } from '../../../../main/contract/measured/results';
import { judgeAccuracy } from '../../../../main/pipeline/steps/accuracy.step';

const spec = {
  atol: { '*': 1e-3 },
  rtol: { '*': 1e-3 },
  maxMetricDelta: 0.01,
  thresholds: {},
  allowUnverified: false,
};
const output: OutputComparison = {
  output: 'OUTPUT__0',
  atol: 1e-3,
  rtol: 1e-3,
  maxAbsDiff: 1e-5,
  maxRelDiff: 1e-4,
  nanCount: 0,
  infCount: 0,
  worstSample: 'a.jpg',
  sampleCount: 10,
  passed: true,
  vacuous: false,
};

describe('judgeAccuracy', () => {
  it('passes equal outputs and metrics', () => {
    const result = judgeAccuracy(spec, [output], { top1: 0.95 }, { top1: 0.95 }, 10);
    expect(result).toMatchObject({ passed: true, reasons: [], warnings: [] });
  });
  it('says the observed difference when an output fails', () => {
    const result = judgeAccuracy(spec, [{ ...output, passed: false, maxAbsDiff: 0.25 }], {}, {}, 10);
    expect(result.passed).toBe(false);
    expect(result.reasons[0]).toContain('0.25');
    expect(result.reasons[0]).toContain('OUTPUT__0');
  });
  it('fails a metric that moved, one below its threshold, and one that is missing', () => {
    const limits = { ...spec, thresholds: { top1: 0.9, top5: 0.99 } };
    const result = judgeAccuracy(limits, [output], { top1: 0.95, top5: 1 }, { top1: 0.85 }, 10);
    expect(result.reasons).toHaveLength(4);
    expect(result.metrics.map((metric) => metric.passed)).toEqual([false, false]);
  });
  it('never passes without a sample, nor with a metric that is not a number', () => {
    expect(judgeAccuracy(spec, [], {}, {}, 0).passed).toBe(false);
    expect(judgeAccuracy(spec, [output], { top1: Number.NaN }, { top1: 0.9 }, 1).passed).toBe(false);
  });
  it('says how many samples have another length on Triton', () => {
    const shorter = { ...output, passed: false, otherLengths: 2 };
    const { reasons } = judgeAccuracy(spec, [shorter], {}, {}, 10);
    expect(reasons).toEqual([
      'OUTPUT__0: 2 of 10 samples have another length on Triton; largest absolute difference of the others 1e-5 (atol 0.001)',
    ]);
  });
  it('warns of a tolerance that cannot fail', () => {
    const result = judgeAccuracy(spec, [{ ...output, atol: 100, rtol: 100, vacuous: true }], {}, {}, 10);
    expect(result.passed).toBe(true);
    expect(result.warnings[0]).toContain('cannot fail');
  });

  it('says the share of the values that is outside, where a share may be', () => {
    const failed = { ...output, passed: false, maxAbsDiff: 2, maxMismatch: 0.01, mismatchShare: 0.25 };
    const [reason] = judgeAccuracy(spec, [failed], {}, {}, 10).reasons;
    expect(reason).toMatch(/absolute difference 2 .*; a share of 0.25 is outside \(allowed 0.01\)$/);
    expect(judgeAccuracy(spec, [{ ...failed, maxMismatch: 0 }], {}, {}, 10).reasons[0]).not.toMatch(/share/);
  });

  it('takes a threshold as the highest value where lower is better', () => {
    const limits = { ...spec, maxMetricDelta: 1, thresholds: { loss: 0.2 } };
    const judge = (served: number) =>
      judgeAccuracy(limits, [output], { loss: served }, { loss: served }, 10, new Set(['loss']));
    expect(judge(0.2)).toMatchObject({ passed: true, metrics: [{ better: 'lower' }] });
    expect(judge(0.21).reasons).toEqual(['loss: 0.21 on Triton is above the threshold 0.2']);
  });
});
