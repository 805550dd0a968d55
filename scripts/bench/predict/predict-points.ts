import type { Arrivals, PredictedServing } from '../../../main/domain/predict/predict';
import { createRandom } from '../../../main/domain/random';
import type { TestModel } from '../../../test/support/triton';

/** A configuration of the model that is measured, and the load on it. */
export interface PredictPoint {
  readonly serving: PredictedServing;
  readonly batchSize: number;
  readonly arrivals: Extract<Arrivals, { kind: 'closed' | 'poisson' }>;
}

/** A network of wide layers on one thread: a batch of 16 takes about three times as long as one row. */
const source = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        random = np.random.default_rng(1)
        self.layers = [random.standard_normal((768, 768), np.float32) / 28 for layer in range(6)]

    def execute(self, requests):
        rows = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        values = np.concatenate(rows)
        state = np.tile(values, (1, 48))
        for layer in self.layers:
            state = np.tanh(state @ layer)
        responses = []
        start = 0
        for row in rows:
            output = state[start : start + len(row), :16]
            start += len(row)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", output.copy())]))
        return responses
`;

const instances = [1, 2] as const;
const maxBatchSizes = [2, 4, 8, 16] as const;
const delaysUs = [0, 1000, 5000] as const;
const concurrencies = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32] as const;
/** Of what a configuration can give: nearer to it, the p99 is that of the slowest second of the machine. */
const shares = [0.3, 0.5, 0.65, 0.8] as const;

const dynamic = (count: number, maxBatchSize: number, maxQueueDelayUs: number): PredictedServing => ({
  ...{ instances: count, maxBatchSize, maxQueueDelayUs },
  ...{ batching: 'dynamic', preferredBatchSizes: [] },
});

const servings = instances.flatMap((count) =>
  maxBatchSizes.flatMap((maxBatchSize) => delaysUs.map((delayUs) => dynamic(count, maxBatchSize, delayUs))),
);

export const nameOf = ({ instances: count, maxBatchSize, maxQueueDelayUs }: PredictedServing): string =>
  `wide-${count}-${maxBatchSize}-${maxQueueDelayUs}`;

export const predictModels: readonly TestModel[] = servings.map((serving) => ({
  ...{ name: nameOf(serving), execute: '', source, maxBatchSize: serving.maxBatchSize, outputElements: 16 },
  config: [
    `dynamic_batching { max_queue_delay_microseconds: ${serving.maxQueueDelayUs} }`,
    // A further group has the other instances.
    ...(serving.instances > 1
      ? [`instance_group [ { kind: KIND_CPU count: ${serving.instances - 1} } ]`]
      : []),
  ].join('\n'),
}));

const closed = (concurrency: number): PredictPoint['arrivals'] => ({ kind: 'closed', concurrency });

/** What a search measures in its first minute: each batch size, and each number of instances kept busy. */
export const fedPoints: readonly PredictPoint[] = [
  ...[1, 4, 8, 16].map((batchSize) => ({ serving: dynamic(1, 16, 0), batchSize, arrivals: closed(1) })),
  ...[4, 16, 40].map((count) => ({ serving: dynamic(1, 16, 0), batchSize: 1, arrivals: closed(count) })),
  ...[1, 4, 16].map((batchSize) => ({ serving: dynamic(2, 16, 0), batchSize, arrivals: closed(2) })),
  ...[5, 20, 40].map((count) => ({ serving: dynamic(2, 16, 0), batchSize: 1, arrivals: closed(count) })),
];

/** Measured again beside each held-out point: it shows how fast the machine is by then. */
export const referencePoint: PredictPoint = {
  ...{ serving: dynamic(2, 16, 0), batchSize: 1, arrivals: closed(20) },
};

/** A load that was not fed: a share of the capacity where it is open. */
export interface HeldOut {
  readonly serving: PredictedServing;
  readonly load: { readonly concurrency: number } | { readonly share: number };
}

/** So many of the configurations and loads by chance, seeded: half of them closed, half open. */
export function heldOutPoints(count: number, seed: number): readonly HeldOut[] {
  const next = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  const found = new Map<string, HeldOut>();
  for (let index = 0; found.size < count; index += 1) {
    const load = index % 2 === 0 ? { concurrency: pick(concurrencies) } : { share: pick(shares) };
    const point = { serving: pick(servings), load };
    found.set(JSON.stringify(point), point);
  }
  return [...found.values()];
}
