import type { ModelSample, MonitorSample } from '../../../main/contract/monitor/monitor';
import type { PollAnswer } from '../../../main/monitor/poll';
import type { ModelStatistics } from '../../../main/triton/statistics';

const none = { count: 0, ns: 0 };

/** Counters of a model "echo", version 1. */
export const statistics = (change: Partial<ModelStatistics> = {}): ModelStatistics => ({
  name: 'echo',
  version: '1',
  lastInferenceMs: 0,
  inferenceCount: 0,
  executionCount: 0,
  success: none,
  fail: none,
  queue: none,
  computeInput: none,
  computeInfer: none,
  computeOutput: none,
  cacheHit: none,
  cacheMiss: none,
  batches: [],
  ...change,
});

export const answer = (change: Partial<PollAnswer> = {}): PollAnswer => ({
  kind: 'answer',
  ready: true,
  version: null,
  traits: null,
  index: [{ name: 'echo', version: '1', state: 'READY' }],
  statistics: [statistics()],
  hole: null,
  metrics: null,
  metricsProblem: 'not there',
  readAtMs: 0,
  ...change,
});

export const model = (change: Partial<ModelSample> = {}): ModelSample => ({
  name: 'echo',
  version: '1',
  state: 'ready',
  reason: null,
  rates: {
    requestsPerSecond: 10,
    inferencesPerSecond: 20,
    errorShare: 0,
    queueUs: 100,
    computeInputUs: 10,
    computeInferUs: 500,
    computeOutputUs: 20,
    batch: 2,
    cacheHitShare: null,
  },
  pending: 0,
  probe: null,
  ...change,
});

export const sample = (atMs: number, change: Partial<MonitorSample> = {}): MonitorSample => ({
  atMs,
  intervalMs: 1000,
  server: { state: 'up', reason: null, version: '2.51.0', restarts: 0 },
  hole: null,
  models: [model()],
  gpus: [],
  metricsProblem: null,
  other: {},
  markers: [],
  pollMs: 3,
  ...change,
});
