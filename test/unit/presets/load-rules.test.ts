import { describe, expect, it } from 'vitest';
import { loadProblems } from '../../../main/presets/load-rules';
import { specFixture } from '../../support/run-state';

type Performance = ReturnType<typeof specFixture>['performance'];

const fieldsOf = (
  performance: Partial<Performance>,
  engine: ReturnType<typeof specFixture>['engine'] = { kind: 'local' },
) =>
  loadProblems(
    specFixture((spec) => {
      spec.engine = engine;
      Object.assign(spec.performance, performance);
    }),
  ).map(({ field, severity }) => `${severity} ${field}`);

describe('the load', () => {
  it('is one of rates and intervals', () => {
    expect(fieldsOf({})).toEqual([]);
    expect(fieldsOf({ requestRates: [100] })).toEqual([]);
    expect(fieldsOf({ requestRates: [100], requestIntervalsUs: [5] })).toEqual([
      'problem performance.requestIntervalsUs',
    ]);
  });

  it('is searched with a latency, and has none without a search', () => {
    expect(fieldsOf({ search: 'binary', latencyThresholdMs: 20 })).toEqual([]);
    expect(fieldsOf({ search: 'linear' })).toEqual(['problem performance.latencyThresholdMs']);
    expect(fieldsOf({ latencyThresholdMs: 20 })).toEqual(['warning performance.latencyThresholdMs']);
  });

  it('is repeated and cross-checked where that can say something', () => {
    expect(fieldsOf({ repeats: 3, crossCheck: true })).toEqual([]);
    expect(fieldsOf({ repeats: 2 })).toEqual([]);
    expect(fieldsOf({ repeats: 2, crossCheck: true })).toEqual(['warning performance.repeats']);
    expect(fieldsOf({ repeats: 3, search: 'binary', latencyThresholdMs: 20 })).toEqual([
      'warning performance.repeats',
    ]);
    expect(
      fieldsOf(
        { repeats: 3, crossCheck: true, sharedMemory: 'cuda', loadTool: 'perf_analyzer' },
        { kind: 'docker', gpus: ['all'], shmSizeMiB: 1024 },
      ),
    ).toEqual(['problem performance.crossCheck']);
  });

  it('has shared memory only where both sides see it', () => {
    const refused = ['problem performance.sharedMemory'];
    const docker = { kind: 'docker' as const, gpus: ['all'], shmSizeMiB: 1024 };
    expect(fieldsOf({ sharedMemory: 'system' })).toEqual([]);
    expect(fieldsOf({ sharedMemory: 'system' }, docker)).toEqual(refused);
    expect(fieldsOf({ sharedMemory: 'system' }, { kind: 'remote', url: 'http://a:8000' })).toEqual(refused);
    expect(fieldsOf({ sharedMemory: 'cuda' }, docker)).toEqual(refused);
    expect(fieldsOf({ sharedMemory: 'cuda', loadTool: 'perf_analyzer' }, docker)).toEqual([]);
    expect(fieldsOf({ sharedMemory: 'cuda', loadTool: 'perf_analyzer' })).toEqual(refused);
  });

  it('goes over a stream by gRPC alone, and in sequences one item a request', () => {
    const sequences = { length: 5, lengthVariation: 0, concurrent: 4, firstId: 1 };
    const single = { batchSizes: [1], onlineBatchSize: 1 };
    expect(fieldsOf({ streaming: true, protocol: 'grpc' })).toEqual([]);
    expect(fieldsOf({ streaming: true, protocol: 'http' })).toEqual(['problem performance.streaming']);
    expect(fieldsOf({ sequences, ...single })).toEqual([]);
    expect(fieldsOf({ sequences, batchSizes: [1, 8] })).toContain('problem performance.batchSizes');
    expect(fieldsOf({ sequences, ...single, sharedMemory: 'system' })).toEqual([
      'problem performance.sharedMemory',
    ]);
  });
});
