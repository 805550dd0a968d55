import type { Protocol } from '../../main/contract/run-spec';
import type { TestModel } from '../support/triton';

/** The Python backend's models that are measured. `compute` stands for a small network: about 5 ms of arithmetic. */
export const models: readonly TestModel[] = [
  { name: 'sink', execute: 'return np.zeros([1])', maxBatchSize: 0 },
  { name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 },
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

export interface BenchScenario {
  readonly title: string;
  readonly model: string;
  readonly protocol: Protocol;
  readonly elements: number;
  readonly concurrency: number;
  /** Where the server decides the rate, both tools must find the same; elsewhere they are two different loads. */
  readonly judged: boolean;
}

const kilobytes = (count: number) => count * 256;

export const scenarios: readonly BenchScenario[] = [
  {
    title: 'compute, 4 KB',
    model: 'compute',
    protocol: 'grpc',
    elements: kilobytes(4),
    concurrency: 1,
    judged: true,
  },
  {
    title: 'compute, 4 KB',
    model: 'compute',
    protocol: 'grpc',
    elements: kilobytes(4),
    concurrency: 4,
    judged: true,
  },
  {
    title: 'compute, 4 KB',
    model: 'compute',
    protocol: 'http',
    elements: kilobytes(4),
    concurrency: 4,
    judged: true,
  },
  {
    title: 'compute, 600 KB',
    model: 'compute',
    protocol: 'grpc',
    elements: kilobytes(600),
    concurrency: 2,
    judged: true,
  },
  {
    title: 'echo, 4 KB',
    model: 'echo',
    protocol: 'grpc',
    elements: kilobytes(4),
    concurrency: 1,
    judged: false,
  },
  {
    title: 'echo, 4 KB',
    model: 'echo',
    protocol: 'grpc',
    elements: kilobytes(4),
    concurrency: 16,
    judged: false,
  },
  {
    title: 'echo, 4 KB',
    model: 'echo',
    protocol: 'http',
    elements: kilobytes(4),
    concurrency: 16,
    judged: false,
  },
  {
    title: 'sink, 600 KB',
    model: 'sink',
    protocol: 'grpc',
    elements: kilobytes(600),
    concurrency: 4,
    judged: false,
  },
];
