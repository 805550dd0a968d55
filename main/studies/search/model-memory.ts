import { join } from 'node:path';
import type { ModelMemory, TakenMemory } from '../../contract/measured/model-memory';
import type { Executor, ServerHandle } from '../../engine/engine';
import { differenceOf } from '../../engine/server-memory';
import { whileServing } from '../../engine/serving';
import { createTritonClient } from '../../triton/client';
import { loadVariant, servedAsIs, type Variant, warmVariant, writeVariant } from './variant';

export interface MemoryInput {
  /** The model with so many instances. */
  readonly variantOf: (instances: number) => Variant;
  /** Of its configuration. */
  readonly instances: number;
  readonly startServer: Executor['startServer'];
  /** Names the server, and what is left of it after a kill. */
  readonly name: string;
  readonly dir: string;
  readonly readMemory: (server: ServerHandle) => Promise<TakenMemory>;
  /** Of the machine of the server. */
  readonly readTotals: (server: ServerHandle) => Promise<TakenMemory>;
  readonly signal: AbortSignal;
}

const half = ({ hostBytes, gpuBytes }: TakenMemory): TakenMemory => ({
  hostBytes: hostBytes === null ? null : hostBytes / 2,
  gpuBytes: gpuBytes === null ? null : gpuBytes / 2,
});

const loadOf = (variant: Variant, suffix: string) => ({
  variant,
  config: variant.configOf(`${variant.name}--${suffix}`),
});

/** So many requests at a time, so that both instances answer. */
const together = 4;

/**
 * What a model takes, by loading it three times beside each other on a Triton of its own: with one instance, which also
 * takes what the backend takes once, with one again, and with two; then the two answer the largest batch. Nothing is
 * unloaded between two readings, so that no load takes memory that is the process's already. Throws as a load of the model.
 */
export async function measureModelMemory(input: MemoryInput): Promise<ModelMemory> {
  const { variantOf, startServer, name, dir, readMemory, readTotals, signal } = input;
  const repository = join(dir, 'repository');
  const loads = [
    loadOf(variantOf(1), 'first'),
    loadOf(variantOf(1), 'one'),
    loadOf(variantOf(2), 'two'),
  ] as const;
  for (const { variant, config } of loads) await writeVariant(variant, repository, config);
  const server = await startServer({
    ...{ runId: name, key: name, repository, logPath: join(dir, 'triton.log'), signal },
    ...{ onLog: () => undefined, onCommand: () => undefined },
    asIs: servedAsIs(loads.map(({ variant }) => variant)),
  });
  try {
    const client = createTritonClient(server.httpAddress);
    return await whileServing(server, signal, 'while its memory was measured', async () => {
      const readings = [await readMemory(server)];
      for (const load of loads) {
        await loadVariant({ client, signal, ...load });
        await warmVariant({ client, signal, ...load }, [1], together);
        readings.push(await readMemory(server));
      }
      const [, , two] = loads;
      const maxBatchSize = Math.max(1, two.config.maxBatchSize);
      await warmVariant({ client, signal, ...two }, [maxBatchSize], together);
      readings.push(await readMemory(server));
      return partsOf(readings, {
        maxBatchSize,
        instances: input.instances,
        totals: await readTotals(server),
      });
    });
  } finally {
    await server.stop();
  }
}

/** @param readings before any load, after each of the three, and after the largest batch. Pure. */
export function partsOf(
  readings: readonly TakenMemory[],
  rest: Pick<ModelMemory, 'maxBatchSize' | 'instances' | 'totals'>,
): ModelMemory {
  const [first, one, two, batch] = readings
    .slice(1)
    .map((reading, at) => differenceOf(readings[at] ?? reading, reading));
  if (first === undefined || one === undefined || two === undefined || batch === undefined) {
    throw new Error('Five readings are needed');
  }
  const instance = differenceOf(one, two);
  return {
    context: differenceOf(one, first),
    shared: differenceOf(instance, one),
    instance,
    batch: half(batch),
    ...rest,
  };
}
