import { describe, expect, it } from 'vitest';
import type { WorkbenchError } from '../../../../main/contract/errors';
import {
  batchFindings,
  type ModelTraits,
  requireLoad,
  runLoadFindings,
  sentFindings,
  type SentRequests,
} from '../../../../main/domain/run/load-rules';
import { configuredTraits, demandedLoad } from '../../../../main/triton/model-traits';
import { specFixture } from '../../../support/run-state';

type Performance = ReturnType<typeof specFixture>['performance'];

/** As the rules of a specification ask. */
const findingsOf = ({ performance, engine, configure }: ReturnType<typeof specFixture>) =>
  runLoadFindings(
    { engine, performance: demandedLoad(performance, configure) },
    { name: 'm', maxBatchSize: configure.maxBatchSize, traits: configuredTraits(configure) },
  );

const fieldsOf = (
  performance: Partial<Performance>,
  engine: ReturnType<typeof specFixture>['engine'] = { kind: 'local' },
  configPatch: ReturnType<typeof specFixture>['configure']['configPatch'] = {},
) =>
  findingsOf(
    specFixture((spec) => {
      spec.engine = engine;
      spec.configure.configPatch = configPatch;
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

  // M16
  it('on another machine has a limit that the specification can raise', () => {
    const far = { kind: 'remote' as const, url: 'http://far.example.com:8000' };
    expect(fieldsOf({ concurrency: [1, 1024] }, far)).toEqual([]);
    expect(fieldsOf({ concurrency: [1, 1025] }, far)).toEqual(['problem performance.concurrency']);
    expect(fieldsOf({ requestRates: [10_001] }, far)).toEqual(['problem performance.requestRates']);
    expect(fieldsOf({ requestIntervalsUs: [50] }, far)).toEqual(['problem performance.requestIntervalsUs']);
    const raised = { ...far, limits: { concurrency: 2048, requestsPerSecond: 20_000 } };
    expect(fieldsOf({ concurrency: [1, 1025] }, raised)).toEqual([]);
    expect(fieldsOf({ requestIntervalsUs: [50] }, raised)).toEqual([]);
    const lowered = { ...far, limits: { concurrency: 8 } };
    expect(fieldsOf({ concurrency: [9] }, lowered)).toEqual(['problem performance.concurrency']);
    const here = { kind: 'remote' as const, url: 'localhost:8000' };
    for (const engine of [here, { kind: 'local' as const }]) {
      expect(fieldsOf({ concurrency: [5000] }, engine)).toEqual([]);
    }
  });

  it('is searched with a latency, and has none without a search', () => {
    expect(fieldsOf({ search: 'binary', latencyThresholdMs: 20 })).toEqual([]);
    expect(fieldsOf({ search: 'linear' })).toEqual(['problem performance.latencyThresholdMs']);
    expect(fieldsOf({ latencyThresholdMs: 20 })).toEqual(['warning performance.latencyThresholdMs']);
  });

  it('take no fewer requests per level than perf_analyzer does', () => {
    const few = { requestCount: 30, requestRates: [20, 40] };
    const refused = ['problem performance.requestCount'];
    expect(fieldsOf({ ...few, loadTool: 'perf_analyzer' })).toEqual(refused);
    expect(fieldsOf({ ...few, crossCheck: true, repeats: 3 })).toEqual(refused);
    expect(fieldsOf({ requestCount: 3, concurrency: [4], loadTool: 'perf_analyzer' })).toEqual(refused);
    expect(fieldsOf({ ...few, requestCount: 40, loadTool: 'perf_analyzer' })).toEqual([]);
    expect(fieldsOf(few)).toEqual([]);
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
    // Both tools run beside Triton in containers.
    expect(fieldsOf({ sharedMemory: 'system' }, docker)).toEqual([]);
    expect(fieldsOf({ sharedMemory: 'system', loadTool: 'perf_analyzer' }, docker)).toEqual([]);
    expect(fieldsOf({ sharedMemory: 'system' }, { ...docker, gpus: [] })).toEqual([]);
    expect(fieldsOf({ sharedMemory: 'system' }, { kind: 'remote', url: 'http://a:8000' })).toEqual(refused);
    expect(fieldsOf({ sharedMemory: 'system' }, { kind: 'remote', url: 'ftp://localhost:8000' })).toEqual(
      refused,
    );
    expect(fieldsOf({ sharedMemory: 'cuda' }, docker)).toEqual(refused);
    expect(fieldsOf({ sharedMemory: 'cuda', loadTool: 'perf_analyzer' }, docker)).toEqual([]);
    expect(fieldsOf({ sharedMemory: 'cuda', loadTool: 'perf_analyzer' })).toEqual(refused);
    expect(fieldsOf({ sharedMemory: 'cuda', loadTool: 'perf_analyzer' }, { ...docker, gpus: [] })).toEqual(
      refused,
    );
  });

  it('has system shared memory with a Triton of this machine that runs already, by the tool that leaves others theirs', () => {
    for (const url of ['http://localhost:8000', 'http://127.0.0.1:9000', 'https://[::1]']) {
      const here = { kind: 'remote' as const, url };
      expect(fieldsOf({ sharedMemory: 'system' }, here)).toEqual(['warning performance.sharedMemory']);
      expect(fieldsOf({ sharedMemory: 'system', loadTool: 'perf_analyzer' }, here)).toEqual([
        'problem performance.sharedMemory',
      ]);
      expect(fieldsOf({ sharedMemory: 'system', repeats: 3, crossCheck: true }, here)).toEqual([
        'problem performance.sharedMemory',
      ]);
      expect(fieldsOf({ sharedMemory: 'cuda', loadTool: 'perf_analyzer' }, here)).toEqual([
        'problem performance.sharedMemory',
      ]);
    }
  });

  it('goes over a stream by gRPC alone, and in sequences one item a request', () => {
    const sequences = { length: 5, lengthVariation: 0, concurrent: 4, firstId: 1 };
    const single = { batchSizes: [1], onlineBatchSize: 1 };
    expect(fieldsOf({ streaming: true, protocol: 'grpc' })).toEqual([]);
    expect(fieldsOf({ streaming: true, protocol: 'http' })).toEqual(['problem performance.streaming']);
    const stateful = (performance: Partial<Performance>) =>
      fieldsOf(performance, undefined, { sequence_batching: {} });
    expect(stateful({ sequences, ...single })).toEqual([]);
    expect(stateful({ sequences, batchSizes: [1, 8] })).toContain('problem performance.batchSizes');
    expect(stateful({ sequences, ...single, sharedMemory: 'system' })).toEqual([
      'problem performance.sharedMemory',
    ]);
    expect(fieldsOf({ sequences, ...single })).toEqual(['problem performance.sequences']);
  });

  it('is what config.pbtxt demands, chosen or not', () => {
    const single = { batchSizes: [1], onlineBatchSize: 1 };
    const asked = (configPatch: Parameters<typeof fieldsOf>[2], performance: Partial<Performance>) =>
      fieldsOf({ ...single, ...performance }, undefined, configPatch);
    const decoupled = { modelTransactionPolicy: { decoupled: true } };
    expect(asked(decoupled, { protocol: 'grpc' })).toEqual([]);
    expect(asked(decoupled, { protocol: 'http' })).toEqual(['problem performance.protocol']);
    expect(asked(decoupled, { protocol: 'grpc', sharedMemory: 'system' })).toEqual([
      'problem performance.sharedMemory',
    ]);
    expect(asked({ sequenceBatching: {} }, {})).toEqual([]);
    expect(asked({ sequenceBatching: {} }, { batchSizes: [4] })).toEqual(['problem performance.batchSizes']);
    // Whoever makes the configuration says what is wrong with it.
    expect(asked({ sequenceBatching: 3 }, {})).toEqual([]);
  });
});

describe('a scenario of its own', () => {
  it('is held to the rules where it differs, and named by its own field', () => {
    expect(fieldsOf({ offline: { sharedMemory: 'cuda' } })).toEqual([
      'problem performance.offline.sharedMemory',
    ]);
  });

  it('says what holds for both only once', () => {
    expect(fieldsOf({ sharedMemory: 'cuda', online: { protocol: 'http' } })).toEqual([
      'problem performance.sharedMemory',
    ]);
  });
});

it('a batch is no larger than the model takes', () => {
  const configure = { maxBatchSize: 8 };
  const found = findingsOf(
    specFixture((spec) => {
      Object.assign(spec.configure, configure);
      Object.assign(spec.performance, { batchSizes: [1, 16, 32], onlineBatchSize: 9 });
    }),
  );
  expect(found.map(({ field, message }) => `${field} ${message}`)).toEqual([
    'performance.batchSizes 16, 32 exceeds the maximum batch size 8 of m',
    'performance.onlineBatchSize 9 exceeds the maximum batch size 8 of m',
  ]);
});

it('a batch size that a served model does not take is refused before a request is sent', () => {
  const refuse = (maxBatchSize: number, batchSizes: readonly number[]) => () => {
    requireLoad(batchFindings({ batchSizes }, { name: 'm', maxBatchSize, traits: null }));
  };
  expect(refuse(8, [1, 8])).not.toThrow();
  expect(refuse(0, [1])).not.toThrow();
  for (const [most, limit, why] of [
    [8, 8, 'The maximum is 8'],
    [0, 1, 'The model is served without batching, one item per request'],
  ] as const) {
    expect(refuse(most, [1, 16])).toThrow(
      expect.objectContaining({
        ...{ code: 'input-invalid', where: 'performance.batchSizes' },
        message: `16 exceeds the maximum batch size ${limit} of m`,
        remedy: `${why}: send batches of up to ${limit}, or raise it.`,
      }),
    );
  }
});

const sequences = { length: 20, lengthVariation: 20, concurrent: 4, firstId: 1 };
const plain = { sequences: false, decoupled: false };

function refusal(
  traits: ModelTraits,
  settings: SentRequests['settings'],
  change: Partial<SentRequests> = {},
) {
  const sent = { protocol: 'grpc', batchSizes: [1], tools: ['native'], settings, ...change } as const;
  try {
    requireLoad(sentFindings(sent, { name: 'm', maxBatchSize: null, traits }));
    return null;
  } catch (error) {
    return error as WorkbenchError;
  }
}

describe('load of the kind that a model takes', () => {
  it.each([
    ['single requests to a plain model', plain, {}],
    ['a stream to a plain model', plain, { streaming: true }],
    ['sequences to a stateful model', { ...plain, sequences: true }, { sequences }],
    ['a stream to a decoupled model', { ...plain, decoupled: true }, { streaming: true }],
    ['both to a model that is both', { sequences: true, decoupled: true }, { sequences, streaming: true }],
  ])('is let through: %s', (_what, traits, settings) => {
    expect(refusal(traits, settings)).toBeNull();
  });

  const stateful = { ...plain, sequences: true };
  it.each([
    ['single requests to a stateful model', stateful, {}, {}, 'sequences', /length of the sequences/],
    ['sequences to a model without state', plain, { sequences }, {}, 'sequences', /sequence_batching/],
    [
      'single calls to a decoupled model',
      { ...plain, decoupled: true },
      {},
      {},
      'streaming',
      /streaming and the protocol "grpc"/,
    ],
    [
      'a stream over HTTP',
      plain,
      { streaming: true },
      { protocol: 'http' as const },
      'streaming',
      /protocol "grpc"/,
    ],
    ['batches of one sequence', stateful, { sequences }, { batchSizes: [1, 4] }, 'batchSizes', /size 1/],
    [
      'shared memory for several answers',
      plain,
      { streaming: true, sharedMemory: 'system' as const },
      {},
      'sharedMemory',
      /Choose "none"/,
    ],
    [
      'CUDA shared memory from the built-in load generator',
      plain,
      { sharedMemory: 'cuda' as const },
      {},
      'sharedMemory',
      /perf_analyzer/,
    ],
    [
      'CUDA shared memory from both load tools',
      plain,
      { sharedMemory: 'cuda' as const },
      { tools: ['perf_analyzer', 'native'] as const },
      'crossCheck',
      /perf_analyzer/,
    ],
  ])('else is refused with the remedy: %s', (_what, traits, settings, change, name, remedy) => {
    const error = refusal(traits, settings, change);
    expect(error?.code).toBe('combination-unsupported');
    expect(error?.where).toBe(`performance.${name}`);
    expect(error?.remedy).toMatch(remedy);
  });
});
