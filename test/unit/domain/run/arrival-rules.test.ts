import { describe, expect, it } from 'vitest';
import { baseDefaults } from '../../../../main/contract/fields/fields';
import { performanceSchema } from '../../../../main/contract/run/run-spec';
import { scenarioLevels } from '../../../../main/contract/run/sweep';
import { mergeTrees } from '../../../../main/contract/trees';
import { arrivalFindings } from '../../../../main/domain/run/arrival-rules';

const base = mergeTrees(baseDefaults, { performance: { concurrency: [1], onlineBatchSize: 1 } });

function found(change: object) {
  const performance = performanceSchema.parse(mergeTrees(base, { performance: change })['performance']);
  return arrivalFindings({ performance, levels: scenarioLevels(performance, 'online') }).map(
    ({ field, code, message }) => [field, code, message],
  );
}

const stages = ['1x:1s', '2x:1s'];

describe('arrivalFindings', () => {
  it('finds nothing in loads that the generator sends', () => {
    expect(found({})).toEqual([]);
    expect(found({ requestRates: [10], stages })).toEqual([]);
    expect(found({ stages: ['100:1s', '2x:1s'] })).toEqual([]);
    expect(found({ requestRates: [10], requestDistribution: 'gamma', burstiness: 0.5 })).toEqual([]);
    expect(found({ requestCancellationRate: 10 })).toEqual([]);
  });

  it('asks for the rate that stages are multiples of', () => {
    expect(found({ stages })).toEqual([
      ['performance.stages', 'spec-invalid', expect.stringContaining('none is given')],
    ]);
  });

  it.each([
    [{ requestRates: [10], stages: ['step', '1x:1s'] }, 'complete load shape'],
    [{ requestRates: [10_000], stages: ['1x:1h'] }, 'more than 1000000'],
    [{ requestRates: [1], stages: ['0.1x:1s'] }, 'No request'],
  ])('refuses %j', (change, message) => {
    expect(found(change)).toEqual([['performance.stages', 'spec-invalid', expect.stringContaining(message)]]);
  });

  it.each([
    ['requestIntervalsUs', { requestIntervalsUs: [10] }],
    ['replay.file', { replay: { file: '/trace.csv' } }],
    ['search', { search: 'linear', latencyThresholdMs: 5 }],
    ['requestCount', { requestCount: 10 }],
  ])('refuses another load beside the stages: %s', (name, change) => {
    expect(found({ requestRates: [10], stages, ...change })).toEqual([
      [`performance.${name}`, 'spec-invalid', expect.stringContaining('cannot be used together')],
    ]);
  });

  it.each([
    ['stages', { requestRates: [10], stages }],
    ['requestDistribution', { requestRates: [10], requestDistribution: 'gamma' }],
    ['requestCancellationRate', { requestCancellationRate: 10 }],
  ])('says what perf_analyzer cannot send: %s', (name, change) => {
    expect(found({ ...change, loadTool: 'perf_analyzer' })).toEqual([
      [`performance.${name}`, 'combination-unsupported', expect.stringContaining('perf_analyzer')],
    ]);
  });

  it.each([
    ['sharedMemory', { requestRates: [10], stages, sharedMemory: 'system' }],
    ['sequences', { requestRates: [10], stages, sequences: { length: 5 } }],
    ['requestCancellationRate', { requestCancellationRate: 10, sharedMemory: 'system' }],
    ['requestCancellationRate', { requestCancellationRate: 10, sequences: { length: 5 } }],
  ])('refuses what cannot be combined, at %s', (name, change) => {
    expect(found(change)).toEqual([[`performance.${name}`, 'combination-unsupported', expect.any(String)]]);
  });
});
