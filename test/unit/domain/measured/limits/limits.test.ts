import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../../main/contract/measured/results';
import type { Scenario } from '../../../../../main/contract/run/run-events';
import type { RunSpec } from '../../../../../main/contract/run/run-spec';
import type { RunState } from '../../../../../main/contract/run/run-state';
import {
  evidenceText,
  limitsDocument,
  limitsLines,
  limitsOf,
} from '../../../../../main/domain/measured/limits/limits';
import {
  createdBodies,
  environmentFixture,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../../support/run-state';

interface Recorded extends Partial<LoadPoint> {
  readonly queueUs?: number;
  readonly computeUs?: number;
  /** Client, network and the server's receiving and sending. */
  readonly transferUs?: number;
}

/** A level as it is recorded: its rate is what its connections and latency come to. */
function level({ queueUs = 0, computeUs = 2000, transferUs = 300, ...change }: Recorded): LoadPoint {
  const { concurrency = 1, batchSize = 1, meanServerBatch = batchSize } = change;
  const avgUs = queueUs + computeUs + transferUs;
  const inferencesPerSecond = (concurrency * batchSize * 1e6) / avgUs;
  const batch = Math.round(meanServerBatch ?? batchSize);
  return pointFixture({
    inferencesPerSecond,
    clientSendUs: 0.1 * transferUs,
    networkServerSendRecvUs: 0.8 * transferUs,
    serverQueueUs: queueUs,
    serverComputeInputUs: 0.02 * computeUs,
    serverComputeInferUs: 0.96 * computeUs,
    serverComputeOutputUs: 0.02 * computeUs,
    clientRecvUs: 0.1 * transferUs,
    avgUs,
    p50Us: avgUs,
    p90Us: 1.1 * avgUs,
    p95Us: 1.2 * avgUs,
    p99Us: 1.4 * avgUs,
    meanServerBatch,
    executedBatches: [{ batchSize: batch, count: 1000, computeUs }],
    ...change,
  });
}

interface Planted {
  readonly spec?: (spec: RunSpec) => void;
  readonly levels: readonly (readonly [Scenario, LoadPoint])[];
  readonly cores?: number;
  readonly budgetMs?: number;
}

function run({ spec = () => undefined, levels, cores = 8, budgetMs }: Planted): RunState {
  return stateOf([
    ...createdBodies(
      specFixture((made) => {
        made.configure = {
          ...made.configure,
          batching: 'dynamic',
          maxBatchSize: 8,
          preferredBatchSizes: [],
          maxQueueDelayUs: 0,
          instances: 1,
          threads: 1,
        };
        spec(made);
      }),
      environmentFixture({ cpuCount: cores }),
    ),
    ...levels.map(([scenario, point]) => measurementBody(scenario, point)),
    ...(budgetMs === undefined ? [] : [{ type: 'p99-budget' as const, p99BudgetMs: budgetMs }]),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

/** Execution times of a model for which batches pay: 4 ms and 0.5 ms for each row. */
const offline = [1, 2, 4, 8].map(
  (batchSize) => ['offline', level({ batchSize, computeUs: 4000 + 500 * batchSize })] as const,
);

function judged(planted: Planted) {
  const found = limitsOf(run(planted));
  const [limit] = found?.limits ?? [];
  const [suggestion] = found?.suggestions ?? [];
  if (found === null || limit === undefined || suggestion === undefined) throw new Error('nothing was found');
  return { ...found, limit, suggestion };
}

describe('planted mistakes', () => {
  it('a bounded queue beside an idle instance', () => {
    const planted = (queueUs: number, maxQueueSize: number) =>
      limitsOf(
        run({
          spec: ({ configure }) => void Object.assign(configure, { maxQueueSize, maxBatchSize: 1 }),
          levels: [['online', level({ concurrency: 16, queueUs, computeUs: 20_000, transferUs: 0 })]],
        }),
      );
    const stalled = planted(1_780_000, 16);
    expect(stalled?.limits[0]?.sentence).toContain('at most 16 waiting requests');
    // 16 requests of 20 ms on one instance.
    const inPlace = { maxQueueSize: 0, queueTimeoutUs: 320_000, queueTimeoutAction: 'reject' };
    expect(stalled?.suggestions[0]?.change.configure).toEqual(inPlace);
    // One instance at work the whole time, and a queue without a limit.
    const found = [stalled, planted(300_000, 16), planted(1_780_000, 0)];
    expect(found.map((one) => one?.limits[0]?.kind)).toEqual(['queue-stall', 'queue', 'queue']);
  });
  it('no batching where it pays', () => {
    const { limit, suggestion } = judged({
      spec: ({ configure }) => {
        configure.batching = 'disabled';
      },
      levels: [
        ...offline.map(([scenario, point]) => [scenario, { ...point, inferencesPerSecond: 100 }] as const),
        ['online', level({ concurrency: 16, queueUs: 67_500, computeUs: 4500, transferUs: 0 })],
      ],
    });
    expect(limit.kind).toBe('queue');
    expect(suggestion.change.configure).toMatchObject({ batching: 'dynamic', maxBatchSize: 8 });
  });

  it('one instance on many cores', () => {
    const { limit, suggestion } = judged({
      levels: [
        [
          'online',
          level({
            concurrency: 16,
            queueUs: 8000,
            computeUs: 8000,
            meanServerBatch: 8,
            serverCpuShare: 0.16,
          }),
        ],
      ],
    });
    expect(limit.kind).toBe('queue');
    expect(suggestion.change.configure).toEqual({ instances: 8 });
    expect(suggestion.text).toBe('Serve 8 instances (now 1).');
    // Two instances at work were never measured.
    expect(suggestion.predicted).toBeNull();
  });

  it('a queue delay above the target', () => {
    const { limit, suggestion } = judged({
      spec: ({ configure }) => {
        configure.maxQueueDelayUs = 50_000;
      },
      levels: [
        ...offline,
        ['online', level({ concurrency: 2, queueUs: 50_000, computeUs: 5000, meanServerBatch: 2 })],
      ],
      budgetMs: 30,
    });
    expect(limit.kind).toBe('batch-formation');
    expect(limit.sentence).toContain(
      'wait up to 50 ms for a batch to fill, which is the whole p99 budget of 30 ms',
    );
    expect(suggestion.change.configure).toEqual({ maxQueueDelayUs: 0 });
    expect(suggestion.predicted?.predictedP99Ratio).toBeLessThan(0.4);
  });

  it('preferred sizes above what any batch can have', () => {
    const { limit, suggestion } = judged({
      spec: ({ configure }) => {
        configure.preferredBatchSizes = [16];
        configure.maxBatchSize = 16;
        configure.maxQueueDelayUs = 20_000;
      },
      levels: [['online', level({ concurrency: 4, queueUs: 20_000, computeUs: 6000, meanServerBatch: 4 })]],
    });
    expect(limit.kind).toBe('batch-formation');
    expect(suggestion.change.configure).toMatchObject({ preferredBatchSizes: [] });
    expect(suggestion.text).toContain('no batch has more than 4 rows');
  });

  it('threads oversubscribed', () => {
    const { limit, suggestion } = judged({
      spec: ({ configure }) => {
        configure.instances = 4;
        configure.threads = 8;
      },
      levels: [['online', level({ concurrency: 4, computeUs: 40_000, serverCpuShare: 0.99 })]],
    });
    expect(limit.kind).toBe('compute');
    expect(limit.sentence).toContain('more threads than the machine has cores');
    expect(suggestion.change.configure).toEqual({ threads: 2 });
  });

  it('HTTP with large payloads', () => {
    const { limit, suggestion } = judged({
      levels: [
        [
          'online',
          level({ protocol: 'http', concurrency: 4, computeUs: 1500, transferUs: 9000, serverCpuShare: 0.9 }),
        ],
      ],
    });
    expect(limit.kind).toBe('transfer');
    expect(suggestion.change.performance).toEqual({ protocol: 'grpc' });
  });

  it('an overloaded client', () => {
    const { limit, suggestion } = judged({
      levels: [
        [
          'online',
          level({
            concurrency: 64,
            computeUs: 300,
            transferUs: 4000,
            flags: ['client-saturated'],
            client: { cpuShare: 0.99, loopShare: 0.98, loopDelayP99Us: 9000 },
          }),
        ],
      ],
    });
    expect(limit.kind).toBe('client');
    expect(suggestion.change.performance).toEqual({ onlineBatchSize: 4 });
  });

  it('a slow composing model', () => {
    const model = {
      modelVersion: '1',
      requestCount: 100,
      inferenceCount: 100,
      executionCount: 100,
      computeInputUs: 10,
      computeOutputUs: 10,
      cacheHitCount: null,
      cacheMissCount: null,
    };
    const composing = [
      { ...model, modelName: 'tokenizer', queueUs: 30, computeInferUs: 400 },
      { ...model, modelName: 'encoder', queueUs: 300, computeInferUs: 9000 },
    ];
    const { limit, suggestion } = judged({
      levels: [
        [
          'online',
          level({
            concurrency: 2,
            queueUs: 330,
            computeUs: 9440,
            composing,
            ensemblePath: ['tokenizer', 'encoder'],
          }),
        ],
      ],
    });
    expect(limit.kind).toBe('composing-model');
    expect(suggestion.text).toContain('encoder');
    expect(limit.evidence.map(evidenceText)).toContain('encoder: compute: 9.02 ms');
  });

  it('a model that is cold at each batch size', () => {
    const cold = (batchSize: number) => {
      const point = level({ batchSize, computeUs: 3000 });
      const [window] = point.windows;
      if (window === undefined) throw new Error('no window');
      const slow = { ...window, avgUs: 4 * window.avgUs, p99Us: 30 * window.avgUs };
      return { ...point, windows: [slow, window, window] };
    };
    const { limit, suggestion } = judged({
      levels: [1, 2, 4, 8].map((batchSize) => ['offline', cold(batchSize)] as const),
    });
    expect(limit.kind).toBe('cold-requests');
    expect(suggestion.change.performance?.warmupMs).toBeGreaterThan(500);
    expect(limit.evidence.map(evidenceText)).toContain('Levels with a slow first window: 4');
  });

  it('a machine that idles behind one connection', () => {
    const { limit, suggestion } = judged({
      spec: ({ configure }) => {
        configure.threads = 4;
      },
      levels: [['online', level({ concurrency: 1, computeUs: 2000, transferUs: 900, serverCpuShare: 0.2 })]],
    });
    expect(limit.kind).toBe('too-little-load');
    expect(suggestion.change.performance).toMatchObject({ concurrency: [4] });
  });
});

describe('what is said of a limit', () => {
  it('has the heaviest first, with its numbers, and at most three suggestions', () => {
    const { limits, suggestions } = judged({
      spec: ({ configure }) => {
        configure.batching = 'disabled';
        configure.threads = 16;
        configure.instances = 2;
      },
      levels: [
        [
          'online',
          level({ concurrency: 16, queueUs: 20_000, computeUs: 8000, transferUs: 4000, protocol: 'http' }),
        ],
      ],
    });
    expect(limits.map(({ weight }) => weight)).toEqual(
      limits.map(({ weight }) => weight).toSorted((a, b) => b - a),
    );
    expect(limits[0]?.evidence.map(evidenceText)).toContain('Server queue: 20.00 ms');
    expect(suggestions).toHaveLength(3);
  });

  it('leaves out a change that is predicted to be in vain', () => {
    // A row costs as much in a batch as without.
    const flat = [1, 2, 4, 8].map(
      (batchSize) =>
        [
          'offline',
          { ...level({ batchSize, computeUs: 2000 * batchSize }), inferencesPerSecond: 100 },
        ] as const,
    );
    const { suggestions } = judged({
      spec: ({ configure }) => {
        configure.batching = 'disabled';
      },
      levels: [
        ...flat,
        ['online', level({ concurrency: 8, queueUs: 14_000, computeUs: 2000, transferUs: 0 })],
      ],
    });
    expect(suggestions.filter(({ change }) => change.configure?.batching === 'dynamic')).toEqual([]);
  });

  it('predicts from the times that the run has measured, and says so', () => {
    const { suggestion } = judged({
      spec: ({ configure }) => {
        configure.batching = 'disabled';
      },
      levels: [
        ...offline.map(([scenario, point]) => [scenario, { ...point, inferencesPerSecond: 100 }] as const),
        ['online', level({ concurrency: 8, queueUs: 31_500, computeUs: 4500, transferUs: 300 })],
      ],
    });
    expect(suggestion.predicted?.predictedThroughputRatio).toBeGreaterThan(2);
    expect(suggestion.predictedText).toMatch(/^Predicted: throughput × \d\.\d, p99 −\d+ %\.$/);
  });

  it('judges only what was recorded', () => {
    const unknown = {
      serverQueueUs: null,
      serverComputeInputUs: null,
      serverComputeInferUs: null,
      serverComputeOutputUs: null,
      networkServerSendRecvUs: null,
      executedBatches: undefined,
      meanServerBatch: null,
    };
    const found = limitsOf(run({ levels: [['online', { ...level({ concurrency: 4 }), ...unknown }]] }));
    expect(found?.limits).toEqual([]);
    expect(limitsOf(run({ levels: [] }))).toBeNull();
    expect(limitsDocument(run({ levels: [] }))).toBeNull();
  });

  it('names clocks that are held down, and a GPU that idles while Triton computes', () => {
    const gpu = { uuid: 'GPU-1', utilization: 0.02, powerW: 60, maxMemoryBytes: 1, totalMemoryBytes: 2 };
    const of = (change: Recorded) =>
      limitsOf(
        run({ levels: [['online', level({ concurrency: 4, computeUs: 2000, ...change })]] }),
      )?.limits.map(({ kind }) => kind);
    expect(of({ gpus: [gpu], flags: ['gpu-idle'] })).toContain('gpu-idle');
    const hot = { ...gpu, utilization: 0.9, throttledShare: 0.6, throttledBy: ['temperature'] };
    expect(of({ gpus: [hot], flags: ['clocks-throttled'] })).toContain('gpu-throttled');
  });

  it('is of the answer’s level, and the same for machines', () => {
    const state = run({
      levels: [
        ['online', level({ concurrency: 4, queueUs: 3000 })],
        ['online', level({ concurrency: 16, queueUs: 9000 })],
      ],
    });
    expect(limitsDocument(state)).toMatchObject({ scenario: 'online', concurrency: 16, batchSize: 1 });
    expect(limitsDocument(state)?.limits[0]?.kind).toBe('queue');
    expect(limitsLines(state)[0]).toBe('What limits it (online, batch size 1, concurrency 16):');
  });

  it('is of the fastest online level where nothing is to be done about batches that come whole', () => {
    const state = run({
      cores: 1,
      spec: ({ configure }) => {
        configure.batching = 'static';
      },
      levels: [...offline, ['online', level({ concurrency: 16, queueUs: 67_500, computeUs: 4500 })]],
    });
    const whole = offline.at(-1)?.[1];
    expect(whole?.inferencesPerSecond).toBeGreaterThan(500);
    expect(limitsDocument(state)).toMatchObject({ scenario: 'online', concurrency: 16 });
    expect(limitsOf(state)?.suggestions[0]?.change.configure).toMatchObject({ batching: 'dynamic' });
  });
});
