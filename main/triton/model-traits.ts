import { z } from 'zod';
import type { CallOptions, TritonClient } from './client';

/** What of a model decides how it can be asked. */
export interface ModelTraits {
  /** It keeps state between the requests of a sequence (`sequence_batching`). */
  readonly sequences: boolean;
  /** A request may have any number of answers (`model_transaction_policy`). */
  readonly decoupled: boolean;
}

/** The part of a ModelConfig that tells; names as in its parsed form. */
const telling = z.looseObject({
  sequenceBatching: z.looseObject({}).optional(),
  modelTransactionPolicy: z.looseObject({ decoupled: z.boolean().optional() }).optional(),
  ensembleScheduling: z
    .looseObject({ step: z.array(z.looseObject({ modelName: z.string().default('') })).default([]) })
    .optional(),
});

/** Traits of one model by its configuration alone. Pure. */
export function traitsOf(config: unknown): ModelTraits {
  const { sequenceBatching, modelTransactionPolicy } = telling.parse(config);
  return {
    sequences: sequenceBatching !== undefined,
    decoupled: modelTransactionPolicy?.decoupled === true,
  };
}

/** Ensembles may hold ensembles; Triton lets none hold itself. */
const deepest = 8;

/**
 * Traits of a served model from the configuration in force; an ensemble has those of its composing models.
 * Throws model-not-ready.
 */
export async function readModelTraits(
  client: Pick<TritonClient, 'modelConfig'>,
  model: { readonly name: string; readonly version: string },
  call: CallOptions = {},
  depth = 0,
): Promise<ModelTraits> {
  const config = telling.parse(await client.modelConfig(model.name, model.version, call));
  const own = traitsOf(config);
  const names = new Set((config.ensembleScheduling?.step ?? []).map((step) => step.modelName));
  if (depth >= deepest) return own;
  const parts = await Promise.all(
    [...names].map((name) => readModelTraits(client, { name, version: '' }, call, depth + 1)),
  );
  return {
    sequences: own.sequences || parts.some((part) => part.sequences),
    decoupled: own.decoupled || parts.some((part) => part.decoupled),
  };
}
