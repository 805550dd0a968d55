import pLimit from 'p-limit';
import type { TritonClient } from '../../../triton/client';
import type { ComposingModel } from '../../../triton/composing-models';
import type { ModelStatistics } from '../../../triton/statistics';

/** The server's counters at one moment. */
export interface Counters {
  readonly own: readonly ModelStatistics[];
  /** Of an ensemble, in the order of its models. */
  readonly composing: readonly {
    readonly modelName: string;
    readonly statistics: readonly ModelStatistics[];
  }[];
}

/** Questions about composing models that are open at once, of all moments: each is a connection of its own. */
export const mostOpenQuestions = 64;

/**
 * How the counters of a model, and of the models it is made of, are asked for. All at once: what lies between the answers
 * is work that no window has. A server that leaves questions open is asked for composing models only when it has answered
 * earlier ones. The result throws as {@link TritonClient.modelStatistics}.
 */
export function createCounters(
  client: Pick<TritonClient, 'modelStatistics'>,
  { modelName, modelVersion }: { readonly modelName: string; readonly modelVersion: string },
  composing: readonly ComposingModel[],
  signal: AbortSignal,
): () => Promise<Counters> {
  const limit = pLimit(mostOpenQuestions);
  return async () => {
    const [own, others] = await Promise.all([
      client.modelStatistics(modelName, modelVersion, { signal }),
      Promise.all(
        composing.map(({ name, version }) =>
          limit(() => {
            signal.throwIfAborted();
            return client.modelStatistics(name, version, { signal });
          }),
        ),
      ),
    ]);
    return {
      own,
      composing: composing.map(({ name }, index) => ({ modelName: name, statistics: others[index] ?? [] })),
    };
  };
}
