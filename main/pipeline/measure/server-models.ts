import { join } from 'node:path';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import type { InputData } from '../../contract/measured/input-data';
import type { LoadPoint } from '../../contract/measured/results';
import type { ServerLoad } from '../../contract/run/server-load';
import type { LoadLevel } from '../../contract/run/sweep';
import { batchFindings, type ModelTraits, requireLoad, sentFindings } from '../../domain/run/load-rules';
import { generateInput, requireFittingShapes, requireShapedInputs } from '../../perf/generate-input';
import { appended, inFolder } from '../../perf/input/append-input';
import type { InputReaders } from '../../perf/input/input-readers';
import { wantedTensors } from '../../perf/input/wanted-tensor';
import type { LoadTool, MeasureInput } from '../../perf/load-tool';
import type { ModelMetadata, TritonClient } from '../../triton/client';
import { unlistedModel } from '../../triton/listed-models';
import { type ModelConfig, optionalInputs } from '../../triton/model-config';
import { readModelTraits } from '../../triton/model-traits';

type NamedModel = ServerLoad['models'][number];

export interface ServerModel extends NamedModel {
  readonly batched: boolean;
  readonly inputData: InputData;
  readonly inputDataDir: string;
  /** By the tokenizer of the load; absent: it has none. */
  readonly countTokens?: MeasureInput['countTokens'];
}

/** Measures models concurrently; results are in the order of `inputs`. */
export async function measureModels(
  tool: LoadTool,
  inputs: readonly MeasureInput[],
): Promise<readonly LoadPoint[]> {
  const [first, ...others] = inputs;
  if (first === undefined) return [];
  return tool.measureTogether === undefined || others.length === 0
    ? [await tool.measure(first)]
    : tool.measureTogether(inputs);
}

/** `--input-data` for a model: `NAME=source` applies to that model, others to the rest. */
function sourcesFor(
  model: string,
  sources: readonly string[],
  models: readonly NamedModel[],
): readonly string[] {
  const nameOf = (source: string) => models.find(({ name }) => source.startsWith(`${name}=`))?.name;
  const own = sources.filter((source) => nameOf(source) === model);
  if (own.length > 0) return own.map((source) => source.slice(model.length + 1));
  return sources.filter((source) => nameOf(source) === undefined);
}

/** @param source `random`, `zero` or a path. Throws input-invalid with file, entry and tensor. */
async function readServerInput(
  source: string,
  model: {
    readonly metadata: Pick<ModelMetadata, 'inputs' | 'outputs'>;
    readonly config: ModelConfig;
    readonly shapes: Readonly<Record<string, readonly number[]>>;
    readonly strings: ServerLoad['strings'];
    readonly lengths: ServerLoad['lengths'];
    readonly dir: string;
    readonly readers: InputReaders;
  },
): Promise<InputData> {
  const { metadata, config, shapes, strings, lengths, dir, readers } = model;
  const batched = config.maxBatchSize > 0;
  if (source === 'random' || source === 'zero') {
    const how = { batched, shapes, mode: source, dir, strings, lengths: lengths?.drawn } as const;
    return generateInput(metadata.inputs, how);
  }
  const wanted = {
    inputs: wantedTensors(metadata.inputs, { batched, optional: optionalInputs(config) }),
    outputs: wantedTensors(metadata.outputs, { batched }),
  };
  return (await readers.inputStore({ path: source, wanted, shapes, dir })).data;
}

/** Appends several files' entries, as perf_analyzer does. */
async function readServerInputs(
  sources: readonly string[],
  model: Parameters<typeof readServerInput>[1],
): Promise<InputData> {
  const files = sources.filter((source) => source !== 'random');
  const [first = 'random', ...others] = files;
  if (others.length === 0) return readServerInput(first, model);
  if (files.includes('zero')) {
    throw invalidInput(
      'performance.inputData',
      'Zeros and the values of a file cannot be combined',
      'Use either zeros or files.',
    );
  }
  const parts: InputData[] = [];
  for (const [index, file] of files.entries()) {
    const folder = String(index);
    const part = await readServerInput(file, { ...model, dir: join(model.dir, folder) });
    parts.push(inFolder(part, folder));
  }
  return parts.reduce(appended);
}

/** Throws as the client, adding the server's model names if this one is unknown. */
async function traitsOf(client: TritonClient, name: string, version: string): Promise<ModelTraits> {
  try {
    return await readModelTraits(client, { name, version });
  } catch (error) {
    const unlisted = await unlistedModel(client, name);
    if (unlisted === null) throw error;
    const { message, remedy } = unlisted;
    throw new WorkbenchError('model-not-ready', message, { where: 'models', remedy, cause: error });
  }
}

/** Names of decoupled models. Throws combination-unsupported for load that a model does not take, and model-not-ready. */
export async function checkKinds(
  client: TritonClient,
  { models, modelVersion, protocol, settings, levels, tools }: ServerLoad,
): Promise<ReadonlySet<string>> {
  const batchSizes = levels.map((level) => level.batchSize);
  const decoupled = new Set<string>();
  for (const { name } of models) {
    const traits = await traitsOf(client, name, modelVersion);
    const { maxBatchSize } = await client.modelConfig(name, modelVersion);
    const model = { name, maxBatchSize, traits };
    const sent = { protocol, settings, batchSizes, tools };
    requireLoad([...sentFindings(sent, model), ...batchFindings({ batchSizes }, model)]);
    if (traits.decoupled) decoupled.add(name);
  }
  return decoupled;
}

/** Throws model-not-ready, and input-invalid. @param where.dir for input values */
export async function readServerModels(
  client: TritonClient,
  load: Pick<ServerLoad, 'models' | 'modelVersion' | 'sources' | 'shapes' | 'strings' | 'lengths'>,
  where: { readonly dir: string; readonly readers: InputReaders },
): Promise<ServerModel[]> {
  const { models, modelVersion, sources, shapes, strings, lengths } = load;
  const served: { readonly model: NamedModel; readonly metadata: ModelMetadata }[] = [];
  for (const model of models)
    served.push({ model, metadata: await client.modelMetadata(model.name, modelVersion) });
  requireShapedInputs(
    shapes,
    served.flatMap(({ metadata }) => metadata.inputs),
  );
  const read: ServerModel[] = [];
  for (const [index, { model, metadata }] of served.entries()) {
    const config = await client.modelConfig(model.name, modelVersion);
    requireFittingShapes(shapes, metadata.inputs, config.maxBatchSize > 0);
    const dir = join(where.dir, `input-${index}`);
    const { readers } = where;
    const inputData = await readServerInputs(sourcesFor(model.name, sources, models), {
      metadata,
      config,
      shapes,
      strings,
      lengths,
      dir,
      readers,
    });
    read.push({ ...model, batched: config.maxBatchSize > 0, inputData, inputDataDir: dir });
  }
  return read;
}

/** Scales concurrency or rate by the model's weight. */
export function weightedLevel(level: LoadLevel, weight: number): LoadLevel {
  return level.requestRate === undefined
    ? { ...level, concurrency: Math.max(1, Math.round(level.concurrency * weight)) }
    : { ...level, requestRate: level.requestRate * weight };
}
