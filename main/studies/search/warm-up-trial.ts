import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import type { TrialSide, WarmUpTrial } from '../../contract/measured/cold-start';
import {
  type ColdInput,
  coldRequests,
  type ColdTimes,
  measureFirstRequests,
  unloadAll,
} from '../../engine/cold-start';
import type { Executor, ServerHandle } from '../../engine/engine';
import { askOnce, loadTimeoutMs, whileServing, withDriverRemedy, zeroCanary } from '../../engine/serving';
import { createTritonClient, type TritonClient } from '../../triton/client';
import type { ModelConfig } from '../../triton/model-config';
import { type Tensor, zeroTensor } from '../../triton/tensor';
import { readTls } from '../../triton/tls';
import { type Variant, writeVariant } from './variant';

export interface TrialInput extends Pick<WarmUpTrial, 'kind' | 'warmUp' | 'rounds'> {
  /** Without a warm-up, and with it. */
  readonly before: Variant;
  readonly after: Variant;
  /** Batch sizes of the requests, ascending. */
  readonly sizes: readonly number[];
  readonly startServer: Executor['startServer'];
  /** Names the server, and what is left of it after a kill. */
  readonly name: string;
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly onRound?: ((round: number, rounds: number) => void) | undefined;
}

/** Requests behind a first one: what it is compared with. */
const next = 3;

const rowOf = ({ check }: Variant, config: ModelConfig): readonly Tensor[] =>
  check.canary?.map(({ name, datatype, shape }) => zeroTensor(name, datatype, shape)) ?? zeroCanary(config);

/** One side of the trial on the server. */
function firstsOf({
  client,
  server,
  config,
  variant,
  sizes,
  signal,
}: {
  readonly client: TritonClient;
  readonly server: ServerHandle;
  readonly config: ModelConfig;
  readonly variant: Variant;
  readonly sizes: readonly number[];
  readonly signal: AbortSignal;
}): ColdInput {
  const to = { client, config, modelName: config.name, modelVersion: String(variant.version), signal };
  return {
    load: () =>
      client.loadModel(config.name, { timeoutMs: loadTimeoutMs, signal }).catch((error: unknown) => {
        throw withDriverRemedy(error);
      }),
    unload: async () => {
      await unloadAll(client, signal);
    },
    requests: () =>
      Promise.resolve({
        requests: coldRequests([{ row: rowOf(variant, config) }], sizes, config),
        // What is done once for all sizes is then in the smallest of both sides.
        isShared: true,
      }),
    send: async (inputs) => {
      const tls = await readTls(server.forClients.grpcTls);
      await askOnce({ ...to, grpc: { address: server.grpcAddress, tls } }, inputs);
    },
    // Whoever asks for the trial waits for its loads.
    longestLoadUs: Number.POSITIVE_INFINITY,
    next,
  };
}

/** Rounds of a side, by batch size. Sizes that got no response in one of them are left out. */
function sideOf(rounds: readonly ColdTimes[]): TrialSide {
  const sizes = rounds[0]?.requests.map(({ batchSize }) => batchSize) ?? [];
  return {
    loadUs: rounds.flatMap(({ loadUs }) => loadUs ?? []),
    requests: sizes.flatMap((batchSize) => {
      const found = rounds.flatMap(
        ({ requests }) => requests.find((one) => one.batchSize === batchSize) ?? [],
      );
      const firstUs = found.flatMap((one) => one.firstUs ?? []);
      if (firstUs.length < rounds.length) return [];
      return [{ batchSize, firstUs, nextUs: found.flatMap(({ nextUs }) => nextUs) }];
    }),
  };
}

/** Throws inference-failed where no size got a response, with the reason of the first. */
function requireAnswers(rounds: readonly ColdTimes[]): void {
  const requests = rounds.flatMap((round) => round.requests);
  if (requests.some(({ firstUs }) => firstUs !== null)) return;
  throw new WorkbenchError('inference-failed', requests[0]?.error ?? 'No request was sent');
}

/**
 * First requests without and with a warm-up, in turns on fresh loads of a separate Triton. The first load of all is not
 * counted: it pays for what is done once per server. Throws as a load of the model, and inference-failed.
 */
export async function tryWarmUp(input: TrialInput): Promise<WarmUpTrial> {
  const { before, after, sizes, rounds, startServer, name, dir, signal, onRound, kind, warmUp } = input;
  const repository = join(dir, 'repository');
  const [cold, warm] = [
    { variant: before, config: before.configOf(`${before.name}--cold`) },
    { variant: after, config: after.configOf(`${after.name}--warm`) },
  ];
  for (const { variant, config } of [cold, warm]) await writeVariant(variant, repository, config);
  const server = await startServer({
    ...{ runId: name, key: name, repository, logPath: join(dir, 'triton.log'), signal },
    ...{ onLog: () => undefined, onCommand: () => undefined },
  });
  try {
    return await whileServing(server, signal, 'while a warm-up was tried', async (until) => {
      const client = createTritonClient(server.httpAddress, {
        tls: await readTls(server.forClients.httpTls),
      });
      const sideFor = (side: typeof cold) => firstsOf({ ...side, client, server, sizes, signal: until });
      const [without, warmed] = [sideFor(cold), sideFor(warm)];
      await without.load();
      await without.unload();
      const [colds, warms]: [ColdTimes[], ColdTimes[]] = [[], []];
      for (let round = 1; round <= rounds; round += 1) {
        onRound?.(round, rounds);
        const turns = [
          async () => colds.push(await measureFirstRequests(without)),
          async () => warms.push(await measureFirstRequests(warmed)),
        ];
        // Neither is always the first on the machine.
        for (const turn of round % 2 === 0 ? turns.reverse() : turns) await turn();
      }
      requireAnswers(colds);
      return {
        ...{ kind, warmUp: [...warmUp], rounds },
        before: sideOf(colds),
        after: sideOf(warms),
      };
    });
  } finally {
    await server.stop();
  }
}
