import { describe, expect, it } from 'vitest';
import type { OutputComparison } from '../../../main/contract/measured/results';
import {
  judgeAccuracy,
  type VerifiedBatch,
  withBatches,
  withOwnChange,
} from '../../../main/pipeline/judge-accuracy';

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

describe('withBatches', () => {
  const passed = judgeAccuracy(spec, [output], {}, {}, 10);
  const at = (batchSize: number, more: Partial<VerifiedBatch> = {}): VerifiedBatch => ({
    batchSize,
    outputs: [{ ...output, sampleCount: batchSize }],
    ...more,
  });
  const differing = { ...output, sampleCount: 8, passed: false, maxAbsDiff: 35.9 };

  it('fails a result whose samples agree when requests of another size do not, and says which', () => {
    const result = withBatches(passed, [at(1, { outputs: [differing] }), at(8)], []);
    expect(result.passed).toBe(false);
    expect(result.reasons).toEqual([
      'At batch size 1: OUTPUT__0: largest absolute difference 35.9 (atol 0.001), relative 1e-4 (rtol 0.001)',
    ]);
    expect(result.batches).toEqual([
      { batchSize: 1, requestCount: 8, maxAbsDiff: 35.9, passed: false },
      { batchSize: 8, requestCount: 1, maxAbsDiff: 1e-5, passed: true },
    ]);
  });

  it('says an output once for all sizes at which it fails, with the largest difference', () => {
    const smaller = { ...differing, maxAbsDiff: 2 };
    const { reasons } = withBatches(
      passed,
      [1, 2, 4].map((size) => at(size, { outputs: [size === 2 ? differing : smaller] })),
      [],
    );
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain('At batch sizes 1, 2 and 4: OUTPUT__0: largest absolute difference 35.9');
  });

  it('notes what Triton made of requests at once, and warns of a model whose answers depend on it', () => {
    const result = withBatches(passed, [at(1), at(1, { gathered: 8, varies: true })], [1, 7]);
    expect(result.batches?.[1]).toMatchObject({ gathered: [1, 7], requestCount: 8, passed: true });
    expect(result).toMatchObject({ passed: true, reasons: [] });
    expect(result.warnings[0]).toContain('depends on the other requests');
  });

  it('has another shape as a reason of its own', () => {
    const failure = 'y of the sample a has the shape [0, 7] in the framework and [3, 7] on Triton';
    const { reasons, batches } = withBatches(passed, [at(2, { outputs: [], failure })], []);
    expect(reasons).toEqual([`At batch size 2: ${failure}`]);
    expect(batches?.[0]).toMatchObject({ passed: false, maxAbsDiff: null });
  });
});

describe('outputs without values', () => {
  it('agree where both sides have none, and the result says that nothing of them was compared', () => {
    const empty = { ...output, maxAbsDiff: null, maxRelDiff: null, worstSample: null, empty: true };
    const result = judgeAccuracy(spec, [empty], {}, {}, 10);
    expect(result.passed).toBe(true);
    expect(result.warnings[0]).toContain('OUTPUT__0 has no values in any sample');
  });
});

describe('withOwnChange', () => {
  const moved = { ...output, passed: false, maxAbsDiff: 0.819 };
  const failed = judgeAccuracy(spec, [moved], { top1: 1 }, { top1: 0.5 }, 10);

  it('names a model that does not agree with itself, by how much and what draws, in place of differences', () => {
    const { reasons, passed } = withOwnChange(failed, {
      outputs: [moved],
      operators: ['RandomNormal (node "noise")'],
    });
    expect(passed).toBe(false);
    expect(reasons).toHaveLength(2);
    expect(reasons[0]).toMatch(
      /change from call to call, .*OUTPUT__0 by up to 0.819.*RandomNormal \(node "noise"\)/,
    );
    expect(reasons[1]).toMatch(/^top1: 1 in the framework/);
  });

  it('says of a model that gives NaN that the framework does, and not that its outputs change', () => {
    const empty = { ...output, passed: false, maxAbsDiff: null, nanCount: 64 };
    const { reasons } = withOwnChange(judgeAccuracy(spec, [empty], {}, {}, 10), {
      outputs: [empty],
      operators: [],
    });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(
      /^The framework itself returns NaN, .*: OUTPUT__0: 64 NaN and 0 infinite values\. .*--dataset.*model\.args\.ranges/,
    );
  });

  it('leaves the reasons of a model that agrees with itself', () => {
    expect(withOwnChange(failed, { outputs: [output], operators: [] })).toBe(failed);
  });
});
