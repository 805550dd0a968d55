import { z } from 'zod';
import { toWire } from '../contract/errors';
import { type ConfigureSpec, type PerformanceSpec, sequenceSchema } from '../contract/run/run-spec';
import type { CallOptions, TritonClient } from './client';
import { endlessEnsemble, mostComposingModels } from './composing-models';
import { applyConfigPatch } from './config-patch';

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

/**
 * Traits of a served model from the configuration in force; an ensemble has those of its composing models, each of which is
 * asked about once. Throws model-not-ready, and combination-unsupported for an ensemble without an end.
 */
export async function readModelTraits(
  client: Pick<TritonClient, 'modelConfig'>,
  model: { readonly name: string; readonly version: string },
  call: CallOptions = {},
): Promise<ModelTraits> {
  const names = new Set([model.name]);
  let sequences = false;
  let decoupled = false;
  for (const name of names) {
    const version = name === model.name ? model.version : '';
    const config = telling.parse(await client.modelConfig(name, version, call));
    const own = traitsOf(config);
    sequences ||= own.sequences;
    decoupled ||= own.decoupled;
    // The walk goes on over what is added to the set.
    for (const { modelName } of config.ensembleScheduling?.step ?? []) names.add(modelName);
    if (names.size > mostComposingModels) throw endlessEnsemble(model.name);
  }
  return { sequences, decoupled };
}

const empty = { name: '', maxBatchSize: 0, input: [], output: [] };

/** How a model will be asked, by what was edited in its config.pbtxt: the fields of a run have neither. Pure. */
export function configuredTraits({ configPatch }: Pick<ConfigureSpec, 'configPatch'>): ModelTraits {
  try {
    return traitsOf(applyConfigPatch(empty, configPatch));
  } catch (error) {
    // Whoever makes the configuration says what is wrong with it.
    if (toWire(error).code === 'config-invalid') return { sequences: false, decoupled: false };
    throw error;
  }
}

/** The load of a run with what its configuration demands beside what was chosen: sequences, a stream. Pure. */
export function demandedLoad(
  performance: PerformanceSpec,
  configure: Pick<ConfigureSpec, 'configPatch'>,
): PerformanceSpec {
  const { sequences, decoupled } = configuredTraits(configure);
  return {
    ...performance,
    ...(sequences ? { sequences: performance.sequences ?? sequenceSchema.parse({}) } : {}),
    ...(decoupled ? { streaming: true } : {}),
  };
}
