import { setTimeout as sleep } from 'node:timers/promises';
import { toWire, WorkbenchError } from '../../contract/errors';
import { markedBeginning } from '../../domain/study/load-question';
import type { TritonClient } from '../../triton/client';

/** A Triton that runs already, with models of others. */
export interface RunningTriton {
  /** In the name of all that the search loads there. */
  readonly mark: string;
  /** `host:port`. */
  readonly metricsAddress: string;
}

/** Of a candidate, by number. The repository index does not list models that came with their files, so it is derived. */
export const markedName = (mark: string, number: number): string => `${markedBeginning(mark)}-${number}`;

type Client = Pick<TritonClient, 'address' | 'unloadModel' | 'modelReady'>;

function refused(address: string, cause: unknown): unknown {
  const { code, details = '' } = toWire(cause);
  if (code !== 'model-load-failed' || !/not allowed|restricted/i.test(details)) return cause;
  return new WorkbenchError(
    'combination-unsupported',
    `Triton at ${address} does not allow models to be loaded over its API`,
    {
      details,
      remedy:
        'Start it with --model-control-mode=explicit, or search without -u on a Triton that the workbench starts.',
      cause,
    },
  );
}

const goneMs = 60_000;

/**
 * Unloads models, and returns once they are gone: Triton unloads behind the caller's back, and behind a load of it that is
 * under way. Throws combination-unsupported where the server does not allow it, model-not-ready where it does not unload,
 * server-unreachable.
 */
export async function unloaded(
  client: Client,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (const name of names) {
    await client.unloadModel(name, { signal }).catch((cause: unknown) => {
      throw refused(client.address, cause);
    });
  }
  const deadline = performance.now() + goneMs;
  for (const name of names) {
    while (await client.modelReady(name, undefined, { signal })) {
      if (performance.now() > deadline) {
        throw new WorkbenchError('model-not-ready', `Triton at ${client.address} has not unloaded ${name}`, {
          remedy: 'Unload it there by POST /v2/repository/models/NAME/unload.',
        });
      }
      await sleep(100, undefined, { signal });
    }
  }
}

/**
 * Unloads what the search loaded, also in a process that was killed, and nothing else. Asks also where nothing is left.
 * Throws as {@link unloaded}. @param candidates how many it has
 */
export const unloadMarked = (
  client: Client,
  mark: string,
  candidates: number,
  signal?: AbortSignal,
): Promise<void> =>
  unloaded(
    client,
    Array.from({ length: candidates + 1 }, (_one, number) => markedName(mark, number)),
    signal,
  );
