import type { Protocol } from '../../main/contract/run/run-spec';
import { startTestTriton, type TestModel, type TestTriton } from '../../test/support/triton';

/**
 * The Python backend's models that are measured. `sink` takes its input and answers with one value, as a classifier of images
 * nearly does; `echo` sends as much back as it gets. `compute` stands for a small network: about 5 ms of arithmetic. */
export const models: readonly TestModel[] = [
  { name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 },
  { name: 'sink', execute: 'return np.ones(1, np.float32)', maxBatchSize: 0 },
  {
    name: 'compute',
    setUp: 'self.weights = np.random.default_rng(1).random((4, 512, 512), np.float32) - 0.5',
    execute: `state = np.resize(values, (64, 512))
        for repeat in range(4):
            for layer in self.weights:
                state = np.tanh(state @ layer)
        return state[0]`,
    maxBatchSize: 0,
  },
];

/** What a scenario must show of native / perf_analyzer, on the median of the pairs. */
interface Goals {
  readonly throughputAtLeast?: number;
  readonly cpuAtMost?: number;
  readonly p50AtMost?: number;
  readonly p99AtMost?: number;
  /** Where the server decides the rate, both tools must find the same: throughput and the server's columns. */
  readonly sameColumns?: boolean;
}

export interface BenchScenario {
  readonly title: string;
  readonly model: string;
  readonly protocol: Protocol;
  readonly elements: number;
  readonly concurrency: number;
  readonly sharedMemory?: 'system';
  /** Length of a window of both tools; one second when absent. */
  readonly windowMs?: number;
  readonly goals: Goals;
}

/** perf_analyzer's own. A second of these requests holds a few dozen, and hides what keeping all of a window costs. */
const defaultWindowMs = 5000;

const kilobytes = (count: number) => count * 256;
const base = { model: 'echo', protocol: 'grpc' } as const;
const small = { ...base, title: 'echo, 4 KB', elements: kilobytes(4) };
const middle = { ...base, title: 'echo, 600 KB', elements: kilobytes(600) };
const large = { ...base, title: 'echo, 16 MB', elements: kilobytes(16_384) };
const sunk = <Scenario extends { readonly title: string }>(scenario: Scenario) => ({
  ...scenario,
  model: 'sink',
  title: scenario.title.replace('echo', 'sink'),
});
const compute = {
  model: 'compute',
  title: 'compute, 4 KB',
  elements: kilobytes(4),
  goals: { sameColumns: true },
};
const concurrencies = [1, 4, 16, 64, 256] as const;

const smallGoals = (concurrency: number): Goals =>
  concurrency === 1
    ? { throughputAtLeast: 0.95, cpuAtMost: 1.25, p50AtMost: 1.1, p99AtMost: 1.5 }
    : { throughputAtLeast: 0.95, ...(concurrency >= 16 ? { cpuAtMost: 0.8 } : {}) };

export const scenarios: readonly BenchScenario[] = [
  { ...compute, protocol: 'grpc', concurrency: 1 },
  { ...compute, protocol: 'grpc', concurrency: 4 },
  { ...compute, protocol: 'http', concurrency: 4 },
  ...[1, 2].map((concurrency) => ({
    ...compute,
    protocol: 'grpc' as const,
    title: 'compute, 600 KB',
    elements: kilobytes(600),
    concurrency,
  })),
  ...concurrencies.map((concurrency) => ({ ...small, concurrency, goals: smallGoals(concurrency) })),
  { ...small, protocol: 'http', concurrency: 16, goals: {} },
  ...[sunk(middle), middle].flatMap((scenario) =>
    concurrencies.map((concurrency) => ({
      ...scenario,
      concurrency,
      goals: { throughputAtLeast: 1.1, cpuAtMost: 0.6 },
    })),
  ),
  ...[sunk(large), large].flatMap((scenario) =>
    [1, 4].map((concurrency) => ({
      ...scenario,
      concurrency,
      windowMs: defaultWindowMs,
      goals: { throughputAtLeast: 1.1, cpuAtMost: 0.3 },
    })),
  ),
  // perf_analyzer keeps every input of three windows: longer ones, or 256 at a time, would measure the machine's memory.
  ...[16, 64].map((concurrency) => ({
    ...sunk(large),
    concurrency,
    windowMs: 2000,
    goals: { throughputAtLeast: 1.1, cpuAtMost: 0.3 },
  })),
  {
    ...large,
    title: 'echo, 16 MB, shared memory',
    sharedMemory: 'system',
    windowMs: defaultWindowMs,
    concurrency: 2,
    goals: { throughputAtLeast: 1 },
  },
];

/**
 * A Triton with the models that are measured, or one of them. `compute` works on one thread: a server that computes on all
 * processors measures its own fight with the client, so one is left to whoever sends.
 */
export function startBenchTriton(name?: string): Promise<TestTriton> {
  process.env['OPENBLAS_NUM_THREADS'] = '1';
  return startTestTriton(models.filter((model) => name === undefined || model.name === name));
}
