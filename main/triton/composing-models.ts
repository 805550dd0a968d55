import pLimit from 'p-limit';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import type { CallOptions, TritonClient } from './client';
import type { ModelConfig } from './model-config';
import type { ModelStatistics } from './statistics';

/** A model that an ensemble is made of. */
export interface ComposingModel {
  readonly name: string;
  /** '' lets the server choose. */
  readonly version: string;
}

/** Models that an ensemble is made of at most; a foreign server may name another one in every answer. */
export const mostComposingModels = 256;

export const endlessEnsemble = (name: string): WorkbenchError =>
  new WorkbenchError(
    'combination-unsupported',
    `${name} is an ensemble of more than ${mostComposingModels} models`,
    { remedy: 'Check that the address is that of a Triton Inference Server, or measure a smaller model.' },
  );

const schedulingSchema = z.object({
  step: z.array(z.object({ modelName: z.string(), modelVersion: z.coerce.number().default(-1) })).default([]),
});

/** The steps of an ensemble in their order; none of any other model. */
function stepsOf(config: ModelConfig): readonly ComposingModel[] {
  const parsed = schedulingSchema.safeParse((config as Record<string, unknown>)['ensembleScheduling']);
  if (!parsed.success) return [];
  return parsed.data.step.map(({ modelName, modelVersion }) => ({
    name: modelName,
    version: modelVersion < 0 ? '' : String(modelVersion),
  }));
}

/**
 * The models of an ensemble, those of ensembles inside it too, each once, in the order of the steps; none of a model that
 * is no ensemble. Throws model-not-ready, server-unreachable, cancelled, and combination-unsupported for an ensemble without
 * an end.
 */
export async function composingModels(
  client: TritonClient,
  name: string,
  version: string,
  options?: CallOptions,
): Promise<readonly ComposingModel[]> {
  const found = new Map<string, ComposingModel>();
  const walk = async (ofName: string, ofVersion: string): Promise<void> => {
    const steps = stepsOf(await client.modelConfig(ofName, ofVersion, options));
    if (found.size + steps.length > 2 * mostComposingModels) throw endlessEnsemble(name);
    for (const step of steps) {
      const key = `${step.name}/${step.version}`;
      if (found.has(key)) continue;
      found.set(key, step);
      if (found.size > mostComposingModels) throw endlessEnsemble(name);
      await walk(step.name, step.version);
    }
  };
  await walk(name, version);
  return [...found.values()];
}

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
