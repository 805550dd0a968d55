import { z } from 'zod';
import type { CallOptions, TritonClient } from './client';
import type { ModelConfig } from './model-config';

/** A model that an ensemble is made of. */
export interface ComposingModel {
  readonly name: string;
  /** '' lets the server choose. */
  readonly version: string;
}

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
 * is no ensemble. Throws model-not-ready, server-unreachable and cancelled.
 */
export async function composingModels(
  client: TritonClient,
  name: string,
  version: string,
  options?: CallOptions,
): Promise<readonly ComposingModel[]> {
  const found = new Map<string, ComposingModel>();
  const walk = async (ofName: string, ofVersion: string): Promise<void> => {
    for (const step of stepsOf(await client.modelConfig(ofName, ofVersion, options))) {
      const key = `${step.name}/${step.version}`;
      if (found.has(key)) continue;
      found.set(key, step);
      await walk(step.name, step.version);
    }
  };
  await walk(name, version);
  return [...found.values()];
}
