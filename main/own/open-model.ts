import { basename } from 'node:path';
import type { OpenedModel } from '../contract/own-model';
import { openModelSchema } from '../contract/own-model';
import type { OpenModelInput } from '../contract/own-model';
import type { ModelSource } from '../contract/run-spec';
import { WorkbenchError } from '../contract/errors';
import { readPreset } from '../presets/presets';
import { modelPathKind } from './model-path';
import { onnxSource } from './onnx-source';
import { filePreset, modelTitle } from './own-preset';
import { checkFolderCode } from './folder-code';
import { readRepository } from './read-repository';
import type { RepositoryModel } from './read-repository';
import { readTorchscript } from './read-torchscript';
import { filesOf } from './trust';
import type { Trust } from './trust';

/** An input of a TorchScript file as it is asked for and given. */
export interface GivenInput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

export interface OpenModelTools {
  readonly trust: Trust;
  /** Runs a TorchScript file once to learn its outputs. It is trusted before. */
  readonly inspect: (
    path: string,
    inputs: readonly GivenInput[],
  ) => Promise<Pick<ModelSource, 'inputs' | 'outputs' | 'batched'>>;
}

type Tree = Readonly<Record<string, unknown>>;

function opened(
  source: ModelSource,
  overrides: Tree,
  rest: Pick<OpenedModel, 'code' | 'trusted' | 'notes'>,
): OpenedModel {
  const preset = filePreset(source);
  const choice = { preset: preset.id, overrides: { ...overrides, model: { source } } };
  return { kind: source.kind, path: source.path, title: source.title, choice, preset, asked: [], ...rest };
}

/** A shape for an input that the model does not have is a slip of the pen, and silence would hide it. */
function checkGiven(given: Tree, names: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new WorkbenchError('input-invalid', `The model has no input "${unknown}"`, {
    where: '--shape',
    remedy: `Its inputs are: ${names.join(', ')}.`,
  });
}

function notesOf({ inputs, batched }: ModelSource): string[] {
  const open = inputs.filter(({ shape }) => shape.slice(batched ? 1 : 0).includes(-1));
  return [
    ...open.map(
      ({ name, sample }) =>
        `Samples of ${name} have the shape [${sample.join(', ')}]; --shape ${name}=... says another.`,
    ),
    ...(batched
      ? []
      : ['The model has no batch axis: it is served without batching, one request at a time.']),
  ];
}

async function openOnnx(path: string, shapes: OpenModelShapes, overrides: Tree): Promise<OpenedModel> {
  const source = await onnxSource(path, shapes);
  checkGiven(
    shapes,
    source.inputs.map(({ name }) => name),
  );
  return opened(source, overrides, { code: [], trusted: true, notes: notesOf(source) });
}

type OpenModelShapes = Readonly<Record<string, readonly number[]>>;

async function openTorchscript(
  path: string,
  given: { readonly shapes: OpenModelShapes; readonly datatypes: Readonly<Record<string, string>> },
  overrides: Tree,
  tools: OpenModelTools,
): Promise<OpenedModel> {
  const names = readTorchscript(path);
  checkGiven(given.shapes, names);
  const place = { kind: 'torchscript', path } as const;
  const [trusted, code] = [await tools.trust.isTrusted(place), await filesOf(place)];
  const asked = names.map((name) => ({ name, shape: given.shapes[name] ?? null }));
  const title = modelTitle(path);
  if (!trusted || asked.some(({ shape }) => shape === null)) {
    const notes = ['A TorchScript file does not say the shapes of its inputs.'];
    return { kind: 'torchscript', path, title, code, trusted, choice: null, preset: null, asked, notes };
  }
  const inputs = asked.map(({ name, shape }) => ({
    name,
    datatype: given.datatypes[name] ?? 'FP32',
    shape: shape ?? [],
  }));
  const found = await tools.inspect(path, inputs);
  const source: ModelSource = { kind: 'torchscript', path, title, externalFiles: [], ...found };
  return { ...opened(source, overrides, { code, trusted, notes: notesOf(source) }), asked };
}

async function openFolder(path: string, tools: OpenModelTools): Promise<OpenedModel> {
  const code = await filesOf({ kind: 'folder', path });
  await checkFolderCode(path);
  const { preset } = await readPreset(path);
  const source: ModelSource = {
    kind: 'folder',
    path,
    title: preset.title,
    inputs: [],
    outputs: [],
    batched: true,
    externalFiles: [],
  };
  return {
    kind: 'folder',
    path,
    title: preset.title,
    code,
    trusted: await tools.trust.isTrusted(source),
    choice: { preset: preset.id, overrides: { model: { source } } },
    preset,
    asked: [],
    notes: [],
  };
}

/** Fields of config.pbtxt that a run takes over; the file says the rest. */
function fromConfig({ config }: RepositoryModel): Tree {
  const group = config.instanceGroup?.[0];
  const batching = config.dynamicBatching;
  const { maxBatchSize } = config;
  return {
    configure: {
      ...(/^[A-Za-z0-9][\w.-]{0,127}$/.test(config.name) ? { modelName: config.name } : {}),
      maxBatchSize,
      batching: maxBatchSize === 0 ? 'disabled' : batching === undefined ? 'static' : 'dynamic',
      ...(batching?.preferredBatchSize === undefined
        ? {}
        : { preferredBatchSizes: batching.preferredBatchSize }),
      ...(group?.count === undefined ? {} : { instances: group.count }),
    },
  };
}

/** Shapes and datatypes of a repository's model, as config.pbtxt has them; axes that vary stay to be asked for. */
function tensorsOf({ config }: RepositoryModel) {
  const shapes: Record<string, number[]> = {};
  const datatypes: Record<string, string> = {};
  for (const tensor of config.input) {
    const dims = tensor.dims.map(Number);
    datatypes[tensor.name] = (tensor.dataType ?? 'TYPE_FP32').replace('TYPE_', '');
    if (!dims.includes(-1)) shapes[tensor.name] = config.maxBatchSize > 0 ? [1, ...dims] : dims;
  }
  return { shapes, datatypes };
}

/**
 * A file or folder of the engineer's as a model, without executing anything of it that is not trusted.
 * Throws input-invalid, model-file-invalid or model-folder-invalid naming file, function and remedy.
 */
export async function openModel(input: OpenModelInput, tools: OpenModelTools): Promise<OpenedModel> {
  const { shapes, datatypes, path: asked } = openModelSchema.parse(input);
  const { path, kind } = await modelPathKind(asked);
  switch (kind) {
    case 'onnx':
      return openOnnx(path, shapes, {});
    case 'torchscript':
      return openTorchscript(path, { shapes, datatypes }, {}, tools);
    case 'folder':
      return openFolder(path, tools);
    case 'repository': {
      const model = await readRepository(path);
      const overrides = fromConfig(model);
      const named = basename(path);
      const told = tensorsOf(model);
      const found =
        model.kind === 'onnx'
          ? await openOnnx(model.file, shapes, overrides)
          : await openTorchscript(
              model.file,
              { shapes: { ...told.shapes, ...shapes }, datatypes: { ...told.datatypes, ...datatypes } },
              overrides,
              tools,
            );
      const { choice } = found;
      const source = (choice?.overrides['model'] as { source: ModelSource } | undefined)?.source;
      if (choice === null || source === undefined) return { ...found, title: named };
      const titled = { ...source, title: named };
      const { code, trusted, notes, asked: inputs } = found;
      return { ...opened(titled, overrides, { code, trusted, notes }), asked: inputs };
    }
  }
}
