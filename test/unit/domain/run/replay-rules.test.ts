import { describe, expect, it } from 'vitest';
import { baseDefaults } from '../../../../main/contract/fields/fields';
import { performanceSchema } from '../../../../main/contract/run/run-spec';
import { mergeTrees } from '../../../../main/contract/trees';
import { replayFindings } from '../../../../main/domain/run/replay-rules';

const base = mergeTrees(baseDefaults, {
  performance: { concurrency: [1], onlineBatchSize: 1, replay: { file: '/trace.csv' } },
});
const read = {
  ...{ of: '', sha256: '', requests: 10, seconds: 5, largestBatchSize: 8, namesInputs: false, models: {} },
};
const load = (change: object, maxBatchSize: number | null = 8, isServer = true) => ({
  performance: performanceSchema.parse(mergeTrees(base, { performance: change })['performance']),
  model: { name: 'resnet50', maxBatchSize },
  isServer,
});
const found = (...of: Parameters<typeof load>) =>
  [replayFindings(load(...of)) ?? []]
    .flat()
    .map((one) => (typeof one === 'object' ? [one.field, one.code, one.message] : one));

describe('replayFindings', () => {
  it('finds nothing in a trace that the model takes, and nothing without one', () => {
    expect(found({ replay: { read } })).toEqual([]);
    const { performance, ...others } = load({});
    expect(replayFindings({ ...others, performance: { ...performance, replay: undefined } })).toBeNull();
  });

  it.each([
    ['requestRates', { requestRates: [10] }],
    ['requestIntervalsUs', { requestIntervalsUs: [10] }],
    ['search', { search: 'linear', latencyThresholdMs: 5 }],
    ['requestCount', { requestCount: 10 }],
  ])('refuses another load of the level: %s', (name, change) => {
    expect(found(change)).toEqual([
      [`performance.${name}`, 'spec-invalid', expect.stringContaining('cannot be used together')],
    ]);
  });

  it.each([
    ['performance.loadTool', { loadTool: 'perf_analyzer' }, 'measures latency from the send'],
    ['performance.crossCheck', { crossCheck: true }, 'perf_analyzer cannot replay'],
    ['performance.sharedMemory', { sharedMemory: 'system' }, 'one batch size'],
    ['performance.sequences', { sequences: { length: 5 } }, 'which sequence'],
  ])('refuses what does not send a trace, at %s', (field, change, message) => {
    expect(found(change)).toEqual([[field, 'combination-unsupported', expect.stringContaining(message)]]);
  });

  it('refuses a part that ends before it starts, and requests that are too large', () => {
    expect(found({ replay: { fromS: 10, toS: 10 } })).toEqual([
      ['performance.replay.toS', 'spec-invalid', expect.stringContaining('not after its start')],
    ]);
    for (const limit of [4, 0]) {
      expect(found({ replay: { read } }, limit)).toEqual([
        ['performance.replay.file', 'spec-invalid', expect.stringContaining('8 items')],
      ]);
    }
    expect(found({ replay: { read }, batchSizes: [1, 2] }, null)).toEqual([
      ['performance.batchSizes', 'spec-invalid', expect.stringContaining('a batch size for each request')],
    ]);
    expect(found({ replay: { read }, batchSizes: [1, 2] }, null, false)).toEqual([]);
  });
});
