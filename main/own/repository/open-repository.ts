import { basename, dirname, join } from 'node:path';
import { invalidInput } from '../../contract/errors';
import type { CheckedModel, CheckedTensor } from '../../contract/repository-check';
import type { OpenedModel, OpenModelInput } from '../../contract/run/own-model';
import { modelNameSchema, type ModelSource, sourceSchema } from '../../contract/run/run-spec';
import { present } from '../../contract/trees';
import { parseConfigPbtxt } from '../../triton/config/config-pbtxt';
import { datatypeOf, optionalInputs } from '../../triton/model-config';
import { folderRefused, listModelFiles, modelsIn, wholeRepository } from '../model-files';
import type { ModelReaders } from '../model-readers';
import type { Trust } from '../trust';
import { checkModels, modelNames } from './check-repository';
import { executesFiles, loadableModels } from './served-models';

interface RepositoryTools {
  readonly trust: Trust;
  readonly readers: ModelReaders;
}

type Tensor = ModelSource['outputs'][number];

/** "TYPE_FP32 [-1, 3]"; null where the axes are not known. */
function readTensor(text: string | null): Pick<Tensor, 'datatype' | 'shape'> | null {
  const [, type, axes] = /^TYPE_(\w+) \[([-\d, ]*)\]$/.exec(text ?? '') ?? [];
  if (type === undefined || axes === undefined) return null;
  const shape = axes === '' ? [] : axes.split(',').map(Number);
  return { datatype: datatypeOf(type), shape };
}

/** As requests have it, with the batch first. Those of the configuration count without it, those of the file with it. */
function tensorOf({ name, configured, file }: CheckedTensor, batched: boolean): Tensor[] {
  const own = readTensor(configured);
  if (own !== null) return [{ name, ...own, shape: batched ? [-1, ...own.shape] : own.shape }];
  const ofFile = readTensor(file);
  return ofFile === null ? [] : [{ name, ...ofFile }];
}

/** Triton's backends of ONNX and TensorFlow batch a model without `max_batch_size` whose tensors all begin with -1. */
function isBatched({ tensors, backend }: CheckedModel, maxBatchSize: number): boolean {
  if (maxBatchSize > 0) return true;
  if (backend !== 'onnxruntime' && backend !== 'tensorflow') return false;
  const files = tensors.map(({ configured, file }) => (configured === null ? readTensor(file) : null));
  return tensors.length > 0 && files.every((tensor) => tensor?.shape[0] === -1);
}

interface Opened {
  readonly source: ModelSource;
  /** Inputs without a known shape. */
  readonly open: readonly string[];
}

function sourceOf(
  path: string,
  {
    model,
    models,
    text,
    shapes,
    beside,
  }: {
    readonly model: CheckedModel;
    readonly models: readonly CheckedModel[];
    readonly text: string | null;
    readonly shapes: Readonly<Record<string, readonly number[]>>;
    readonly beside: readonly string[];
  },
): Opened {
  const config = parseConfigPbtxt(text ?? '');
  const batched = isBatched(model, config.maxBatchSize);
  const side = (of: CheckedTensor['side']) =>
    model.tensors.filter((tensor) => tensor.side === of).flatMap((tensor) => tensorOf(tensor, batched));
  const optional = optionalInputs(config);
  // Optional inputs are not sent.
  const inputs = side('input').filter(({ name }) => !optional.has(name));
  const unknown = Object.keys(shapes).find((name) => !inputs.some((input) => input.name === name));
  if (unknown !== undefined) {
    const names = inputs.map(({ name }) => name).join(', ');
    throw invalidInput('--shape', `The model has no input "${unknown}"`, `Its inputs are: ${names}.`);
  }
  const sampleOf = ({ name, shape }: Tensor) =>
    shapes[name] ?? (batched ? [1, ...shape.slice(1)] : shape).map((size) => (size === -1 ? 0 : size));
  const open = inputs.filter((input) => shapes[input.name] === undefined && sampleOf(input).includes(0));
  const source = sourceSchema.parse({
    kind: 'repository',
    path,
    title: basename(path),
    inputs: inputs.map((input) => ({ ...input, sample: sampleOf(input) })),
    outputs: side('output'),
    batched,
    repository: {
      models: models.map(({ name, backend, needs }) => ({ name, backend, ...present({ needs }) })),
      with: beside,
      version: model.versions.at(-1) ?? 1,
      config: text,
    },
  });
  return { source, open: open.map(({ name }) => name) };
}

/** Throws model-folder-invalid for a name that cannot be that of a run's model. */
function requireNames(models: readonly CheckedModel[], repository: string): void {
  const odd = models.find(({ name }) => !modelNameSchema.safeParse(name).success);
  if (odd === undefined) return;
  throw folderRefused(
    join(repository, odd.name),
    `"${odd.name}" cannot be the name of a model here`,
    'Use letters, digits, ".", "_" and "-", with a letter or a digit first.',
  );
}

export interface OpenedRepository extends Opened {
  /** Folders of the models whose files Triton would execute. */
  readonly executed: readonly string[];
  readonly code: OpenedModel['code'];
  readonly trusted: boolean;
  readonly notes: readonly string[];
}

/**
 * A model of a repository as it is, with all that is served with it. Throws input-invalid, and model-folder-invalid with
 * what Triton would refuse.
 */
export async function openRepository(
  path: string,
  { shapes = {}, with: beside = [] }: Pick<OpenModelInput, 'shapes' | 'with'>,
  { trust, readers }: RepositoryTools,
): Promise<OpenedRepository> {
  const repository = dirname(path);
  const models = await loadableModels(repository, [basename(path), ...beside], readers);
  const [model] = models;
  if (model === undefined)
    throw invalidInput(path, `${path} has no model`, 'Give the folder of a model in a repository.');
  requireNames(models, repository);
  const { text } = await readers.repositoryConfig({ path });
  const executed: string[] = [];
  for (const { name } of models) {
    if (await executesFiles(join(repository, name), readers)) executed.push(join(repository, name));
  }
  const code = await Promise.all(
    executed.map(async (folder) =>
      (await listModelFiles(folder)).map((file) => ({ ...file, path: `${basename(folder)}/${file.path}` })),
    ),
  );
  const trusted = await Promise.all(
    executed.map((folder) => trust.isTrusted({ kind: 'folder', path: folder })),
  );
  const opened = sourceOf(path, { model, models, text, shapes, beside });
  const served = new Set(models.map(({ name }) => name));
  const called = models.flatMap(({ named }) => named).filter((name) => !served.has(name));
  return {
    ...opened,
    ...{ executed, code: code.flat(), trusted: trusted.every(Boolean) },
    notes: notesOf(opened.source, [...new Set(called)]),
  };
}

function notesOf({ repository, title }: ModelSource, called: readonly string[]): readonly string[] {
  const others = (repository?.models ?? []).slice(1).map(({ name }) => name);
  const isPartial =
    repository?.config === null || parseConfigPbtxt(repository?.config ?? '').input.length === 0;
  return [
    'Its files and its config.pbtxt are served as they are.',
    ...(others.length === 0 ? [] : [`Served with it: ${others.join(', ')}.`]),
    ...(isPartial
      ? [`Triton completes the configuration of ${title}: the run shows and keeps the result.`]
      : []),
    ...(called.length === 0
      ? []
      : [
          `model.py names ${called.join(', ')}: a model that is called from there is loaded with --with ${called.join(',')}.`,
        ]),
  ];
}

/** The only model that no other is made with. Throws model-folder-invalid naming the models. */
export async function mainModel(repository: string, readers: ModelReaders): Promise<string> {
  const names = await modelsIn(repository, await modelNames(repository));
  const models = await checkModels(repository, names, readers);
  const parts = new Set(models.flatMap(({ steps }) => steps));
  const whole = models.filter(({ name }) => !parts.has(name));
  const [only] = whole;
  if (only !== undefined && whole.length === 1) return join(repository, only.name);
  throw wholeRepository(
    repository,
    models.map(({ name }) => name),
  );
}
