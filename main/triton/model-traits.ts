import pLimit from 'p-limit';
import { z } from 'zod';
import { toWire, WorkbenchError } from '../contract/errors';
import { type ConfigureSpec, type PerformanceSpec, sequenceSchema } from '../contract/run/run-spec';
import type { ModelTraits } from '../domain/run/load-rules';
import type { CallOptions, TritonClient } from './client';
import type { ModelConfig } from './model-config';
import { applyConfigPatch } from './served-config';
import type { ModelStatistics } from './statistics';

/** A step of an ensemble. */
export interface EnsembleStep {
  readonly name: string;
  /** '' lets the server choose. */
  readonly version: string;
  /** Names of the ensemble's tensors: the step begins when others have written what it reads. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** A model that an ensemble is made of. */
export interface ComposingModel extends Pick<EnsembleStep, 'name' | 'version'> {
  /** Of an ensemble in the ensemble; none of another model. */
  readonly steps: readonly EnsembleStep[];
  /** It answers a request any number of times. */
  readonly decoupled: boolean;
}

/** What an ensemble does; without steps of a model that is no ensemble. */
export interface Ensemble {
  readonly steps: readonly EnsembleStep[];
  /** Those of ensembles inside it too, each once, in the order of the steps. */
  readonly models: readonly ComposingModel[];
}

/** Models that an ensemble is made of at most; a foreign server may name another one in every answer. */
const mostComposingModels = 256;

const endlessEnsemble = (name: string): WorkbenchError =>
  new WorkbenchError(
    'combination-unsupported',
    `${name} is an ensemble of more than ${mostComposingModels} models`,
    { remedy: 'Check that the address is that of a Triton Inference Server, or measure a smaller model.' },
  );

const schedulingSchema = z.object({
  step: z
    .array(
      z.object({
        modelName: z.string(),
        modelVersion: z.coerce.number().default(-1),
        inputMap: z.record(z.string(), z.string()).default({}),
        outputMap: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
});

/** The steps of an ensemble in their order; none of any other model. */
function stepsOf(config: ModelConfig): readonly EnsembleStep[] {
  const parsed = schedulingSchema.safeParse((config as Record<string, unknown>)['ensembleScheduling']);
  if (!parsed.success) return [];
  return parsed.data.step.map(({ modelName, modelVersion, inputMap, outputMap }) => ({
    name: modelName,
    version: modelVersion < 0 ? '' : String(modelVersion),
    reads: Object.values(inputMap),
    writes: Object.values(outputMap),
  }));
}

/** The models of an ensemble by name, each once; none of any other model. */
export const ensembleModels = (config: ModelConfig): string[] => [
  ...new Set(stepsOf(config).map(({ name }) => name)),
];

/**
 * The steps of an ensemble and its models; none of a model that is no ensemble. Throws model-not-ready, server-unreachable, cancelled, and combination-unsupported for an ensemble without
 * an end.
 */
export async function composingModels(
  client: TritonClient,
  name: string,
  version: string,
  options?: CallOptions,
): Promise<Ensemble> {
  const found = new Map<string, ComposingModel>();
  const walk = async (
    ofName: string,
    ofVersion: string,
  ): Promise<Omit<ComposingModel, 'name' | 'version'>> => {
    const config = await client.modelConfig(ofName, ofVersion, options);
    const steps = stepsOf(config);
    if (found.size + steps.length > 2 * mostComposingModels) throw endlessEnsemble(name);
    for (const { name: of, version: at } of steps) {
      const key = `${of}/${at}`;
      if (found.has(key)) continue;
      // Its place in the order is before those of its own steps.
      found.set(key, { name: of, version: at, steps: [], decoupled: false });
      if (found.size > mostComposingModels) throw endlessEnsemble(name);
      found.set(key, { name: of, version: at, ...(await walk(of, at)) });
    }
    return { steps, decoupled: traitsOf(config).decoupled };
  };
  const { steps } = await walk(name, version);
  return { steps, models: [...found.values()] };
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
  composing: readonly Pick<ComposingModel, 'name' | 'version'>[],
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
