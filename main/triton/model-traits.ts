import pLimit from 'p-limit';
import { z } from 'zod';
import { toWire, WorkbenchError } from '../contract/errors';
import { later } from '../contract/later';
import { type ConfigureSpec, type PerformanceSpec, sequenceSchema } from '../contract/run/run-spec';
import type { ModelTraits } from '../domain/run/load-rules';
import type { CallOptions, TritonClient } from './client';
import type { ModelConfig } from './model-config';
import { applyConfigPatch } from './served-config';
import type { ModelStatistics } from './statistics';

export interface EnsembleStep {
  readonly name: string;
  /** '' lets the server choose. */
  readonly version: string;
  /** Ensemble tensors read by the step, which starts when they are written. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** A model that an ensemble is made of. */
export interface ComposingModel extends Pick<EnsembleStep, 'name' | 'version'> {
  /** Steps of a nested ensemble; empty otherwise. */
  readonly steps: readonly EnsembleStep[];
  readonly decoupled: boolean;
  /** null: an ensemble, or as many as the server chose. */
  readonly instances: number | null;
  readonly maxBatchSize: number;
  /** Called by the measured model itself. */
  readonly bls: boolean;
}

/** Without steps for other models. */
export interface Ensemble {
  readonly steps: readonly EnsembleStep[];
  /** Including nested ensembles' models, unique, in step order. */
  readonly models: readonly ComposingModel[];
}

/** Limit, because a foreign server could name new ones endlessly. */
const mostComposingModels = 256;

const endlessEnsemble = (name: string): WorkbenchError =>
  new WorkbenchError(
    'combination-unsupported',
    `${name} is an ensemble of more than ${mostComposingModels} models`,
    { remedy: 'Check that the address is that of a Triton Inference Server, or measure a smaller model.' },
  );

const schedulingSchema = later(() =>
  z.object({
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
  }),
);

/** Steps in order; empty for other models. */
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

/** Unique model names; empty for other models. */
export const ensembleModels = (config: ModelConfig): string[] => [
  ...new Set(stepsOf(config).map(({ name }) => name)),
];

/** Each group has its count on each of its GPUs. */
function instancesOf({ instanceGroup }: ModelConfig): number | null {
  if (instanceGroup === undefined || instanceGroup.length === 0) return null;
  const of = instanceGroup.map(({ count = 1, gpus = [] }) => count * Math.max(1, gpus.length));
  return of.reduce((sum, count) => sum + count, 0);
}

/**
 * The models of an ensemble, and those that `blsModels` names with theirs; empty for other models.
 * Throws model-not-ready, server-unreachable, cancelled, and combination-unsupported.
 */
export async function composingModels(
  client: Pick<TritonClient, 'modelConfig'>,
  {
    name,
    version,
    blsModels = [],
  }: Pick<EnsembleStep, 'name' | 'version'> & { blsModels?: readonly string[] },
  options?: CallOptions,
): Promise<Ensemble> {
  const found = new Map<string, ComposingModel>();
  const walk = async (
    ofName: string,
    ofVersion: string,
    bls: boolean,
  ): Promise<Omit<ComposingModel, 'name' | 'version'>> => {
    const config = await client.modelConfig(ofName, ofVersion, options);
    const steps = stepsOf(config);
    if (found.size + steps.length > 2 * mostComposingModels) throw endlessEnsemble(name);
    for (const { name: of, version: at } of steps) {
      await add(of, at, bls);
    }
    const [instances, { maxBatchSize }] = [instancesOf(config), config];
    return { steps, decoupled: traitsOf(config).decoupled, instances, maxBatchSize, bls };
  };
  const add = async (of: string, at: string, bls: boolean): Promise<void> => {
    const key = `${of}/${at}`;
    if (found.has(key)) return;
    // Listed before its own steps.
    found.set(key, {
      ...{ name: of, version: at, steps: [], decoupled: false },
      ...{ instances: null, maxBatchSize: 0, bls },
    });
    if (found.size > mostComposingModels) throw endlessEnsemble(name);
    found.set(key, { name: of, version: at, ...(await walk(of, at, bls)) });
  };
  const { steps } = await walk(name, version, false);
  for (const called of blsModels) await add(called, '', true);
  return { steps, models: [...found.values()] };
}

/** Server counters at one time. */
export interface Counters {
  readonly own: readonly ModelStatistics[];
  /** Per composing model, in the ensemble's order. */
  readonly composing: readonly {
    readonly modelName: string;
    readonly statistics: readonly ModelStatistics[];
  }[];
}

/** Limit of concurrent requests for composing models. */
export const mostOpenQuestions = 64;

/**
 * Reads counters of a model and its composing models concurrently, since work between responses would be in no window.
 * If the server is slow, composing models wait for earlier responses. Throws as {@link TritonClient.modelStatistics}.
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

/** The relevant part of a ModelConfig. */
const telling = later(() =>
  z.looseObject({
    sequenceBatching: z.looseObject({}).optional(),
    modelTransactionPolicy: z.looseObject({ decoupled: z.boolean().optional() }).optional(),
    ensembleScheduling: z
      .looseObject({ step: z.array(z.looseObject({ modelName: z.string().default('') })).default([]) })
      .optional(),
  }),
);

export function traitsOf(config: unknown): ModelTraits {
  const { sequenceBatching, modelTransactionPolicy } = telling.parse(config);
  return {
    sequences: sequenceBatching !== undefined,
    decoupled: modelTransactionPolicy?.decoupled === true,
  };
}

/** An ensemble combines its models' traits. Throws model-not-ready, combination-unsupported. */
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
    // Iterates over names added meanwhile.
    for (const { modelName } of config.ensembleScheduling?.step ?? []) names.add(modelName);
    if (names.size > mostComposingModels) throw endlessEnsemble(model.name);
  }
  return { sequences, decoupled };
}

const empty = { name: '', maxBatchSize: 0, input: [], output: [] };

/** Traits set by edits to config.pbtxt. */
export function configuredTraits({ configPatch }: Pick<ConfigureSpec, 'configPatch'>): ModelTraits {
  if (Object.keys(configPatch).length === 0) return traitsOf(empty);
  try {
    return traitsOf(applyConfigPatch(empty, configPatch));
  } catch (error) {
    // An invalid configuration is reported elsewhere.
    if (toWire(error).code === 'config-invalid') return { sequences: false, decoupled: false };
    throw error;
  }
}

/** Adds load settings that the configuration requires: sequences, streaming. */
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
