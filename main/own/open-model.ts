import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Handlers } from '../contract/api';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { type OpenedModel, type OpenModelInput, openModelSchema } from '../contract/run/own-model';
import type { Preset } from '../contract/run/preset';
import { type ModelSource, sourceSchema } from '../contract/run/run-spec';
import type { Tree } from '../contract/trees';
import { exists } from '../platform/files';
import { silentListener, type Toolkit } from '../toolkit/toolkit';
import { allFaults, checkArguments } from './folder-code';
import { datasetNote, makesDataset } from './folder-data';
import { huggingFaceSource } from './huggingface/huggingface-source';
import { modelPathKind } from './model-files';
import type { ModelReaders } from './model-readers';
import { onnxSource, zipMapNotes } from './onnx-source';
import { newerOnnxNote } from './onnx-versions';
import { filePreset, modelTitle } from './own-preset';
import { checkRepositories } from './repository/check-repository';
import { mainModel, openRepository } from './repository/open-repository';
import { repositoryMisfit } from './repository-fit';
import {
  repositoryNotes,
  repositoryOverrides,
  repositoryTensors,
  withRepositoryNames,
} from './repository-settings';
import { savedModelSource } from './savedmodel-source';
import { treesSource } from './trees/trees-source';
import { createTrust, filesOf, type Trust } from './trust';

interface GivenInput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

export interface OpenModelTools {
  readonly trust: Trust;
  readonly readers: ModelReaders;
  /** Runs a trusted TorchScript file once to learn its outputs. */
  readonly inspect: (
    path: string,
    inputs: readonly GivenInput[],
  ) => Promise<Pick<ModelSource, 'inputs' | 'outputs' | 'batched'>>;
}

function opened(
  source: ModelSource,
  overrides: Tree,
  rest: Pick<OpenedModel, 'code' | 'trusted' | 'notes'>,
): OpenedModel {
  const preset = filePreset(source);
  const choice = { preset: preset.id, overrides: { ...overrides, model: { source } } };
  return { kind: source.kind, path: source.path, title: source.title, choice, preset, asked: [], ...rest };
}

/** A shape for an unknown input is a typo, which must not be ignored. */
function checkGiven(given: Tree, names: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw invalidInput(
    '--shape',
    `The model has no input "${unknown}"`,
    `Its inputs are: ${names.join(', ')}.`,
  );
}

/** With a fixed batch every tensor begins with an axis of the same size. */
function fixedBatchNote({ inputs, outputs }: ModelSource): readonly string[] {
  const [rows, ...others] = new Set([...inputs, ...outputs].map(({ shape }) => shape[0] ?? 1));
  return rows === undefined || rows < 2 || others.length > 0
    ? []
    : [
        `All its inputs and outputs begin with an axis of ${rows}: where that is a batch, one inference is ${rows} rows.`,
      ];
}

/** As resources/toolkit/texts makes them. */
const madeTexts =
  'random words: half of the samples have at most 8, 95 of 100 at most 32, and none more than 64. --dataset FILE gives your own.';

function notesOf(source: ModelSource): string[] {
  const { inputs, batched } = source;
  const texts = inputs.filter(({ datatype }) => datatype === 'BYTES').map(({ name }) => name);
  const open = inputs.filter(({ shape }) => shape.slice(batched ? 1 : 0).includes(-1));
  return [
    ...open.map(
      ({ name, sample }) =>
        `Samples of ${name} have the shape [${sample.join(', ')}]; --shape ${name}=... sets another.`,
    ),
    ...(texts.length === 0 ? [] : [`Texts of ${texts.join(', ')} are ${madeTexts}`]),
    ...(batched
      ? []
      : [
          'The model has no batch axis: it is served without batching, one request at a time.',
          ...fixedBatchNote(source),
        ]),
  ];
}

async function openOnnx(
  path: string,
  shapes: OpenModelShapes,
  overrides: Tree,
  { readers }: OpenModelTools,
): Promise<OpenedModel> {
  const facts = await readers.onnx({ path });
  const source = await onnxSource(path, facts, shapes);
  checkGiven(
    shapes,
    source.inputs.map(({ name }) => name),
  );
  const newer = newerOnnxNote(path, facts);
  const notes = [...(newer === null ? [] : [newer]), ...zipMapNotes(facts), ...notesOf(source)];
  return opened(source, overrides, { code: [], trusted: true, notes });
}

type OpenModelShapes = Readonly<Record<string, readonly number[]>>;

interface GivenTensors {
  readonly shapes: OpenModelShapes;
  readonly datatypes: Readonly<Record<string, string>>;
}

async function openTorchscript(
  path: string,
  given: GivenTensors,
  overrides: Tree,
  tools: OpenModelTools,
): Promise<OpenedModel> {
  const names = await tools.readers.torchscript({ path });
  checkGiven(given.shapes, names);
  const location = { kind: 'torchscript', path } as const;
  const [trusted, code] = [await tools.trust.isTrusted(location), await filesOf(location, tools.readers)];
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

/** TensorFlow's operations access files, so a run needs trust; missing shapes come first. */
async function openSavedModel(
  path: string,
  shapes: OpenModelShapes,
  overrides: Tree,
  { trust, readers }: OpenModelTools,
): Promise<OpenedModel> {
  const {
    source,
    names,
    asked: open,
  } = await savedModelSource(path, await readers.savedModel({ path }), shapes);
  checkGiven(shapes, names);
  const [trusted, code] = [await trust.isTrusted(source), await filesOf(source, readers)];
  const asked = open.map((name) => ({ name, shape: null }));
  if (trusted && asked.length === 0) {
    return opened(source, overrides, { code, trusted, notes: notesOf(source) });
  }
  const notes =
    asked.length === 0
      ? notesOf(source)
      : [`The file does not say how many axes these inputs have: ${open.join(', ')}.`];
  const { kind, title } = source;
  return { kind, path, title, code, trusted, choice: null, preset: null, asked, notes };
}

/** Weights as safetensors and a class that transformers has itself: nothing of the folder is code. */
async function openHuggingFace(
  path: string,
  shapes: OpenModelShapes,
  { readers }: OpenModelTools,
): Promise<OpenedModel> {
  const { source, notes } = huggingFaceSource(path, await readers.huggingFace({ path }), shapes);
  checkGiven(
    shapes,
    source.inputs.map(({ name }) => name),
  );
  return opened(source, {}, { code: [], trusted: true, notes });
}

/** Data only: its library loads it in the run. */
async function openTrees(
  path: string,
  shapes: OpenModelShapes,
  { readers }: OpenModelTools,
): Promise<OpenedModel> {
  const { source, notes } = treesSource(path, await readers.trees({ path }));
  if (Object.keys(shapes).length > 0) {
    const remedy = 'Leave --shape out: a sample is a row, whose length the file states.';
    throw invalidInput('--shape', 'The model takes rows of one length', remedy);
  }
  return opened(source, {}, { code: [], trusted: true, notes });
}

/** preset.yaml of a complete code folder; faults of both are one error. */
async function folderPreset(path: string, { readers }: OpenModelTools): Promise<Preset> {
  const refused: WorkbenchError[] = [];
  const read = async <Value>(reading: Promise<Value>): Promise<Value | null> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof WorkbenchError) || error.code !== 'model-folder-invalid') throw error;
      refused.push(error);
      return null;
    }
  };
  const names = await read(readers.folderCode({ path }));
  // A missing preset.yaml is among the missing files.
  const loaded = (await exists(join(path, 'preset.yaml'))) ? await read(readers.preset({ path })) : null;
  const fault = allFaults(path, refused);
  if (fault !== null) throw fault;
  const { preset } = loaded ?? (await readers.preset({ path }));
  await checkArguments(path, preset, names);
  return preset;
}

async function openFolder(path: string, tools: OpenModelTools): Promise<OpenedModel> {
  const code = await filesOf({ kind: 'folder', path }, tools.readers);
  const preset = await folderPreset(path, tools);
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
    notes: (await makesDataset(path)) ? [] : [datasetNote],
  };
}

/** The file of a repository's model, with a configuration of its own. */
async function openRewritten(
  path: string,
  { shapes, datatypes }: GivenTensors,
  tools: OpenModelTools,
): Promise<OpenedModel> {
  const model = await tools.readers.repository({ path });
  const found = await {
    onnx: () => openOnnx(model.file, shapes, {}, tools),
    savedmodel: () => openSavedModel(model.file, shapes, {}, tools),
    torchscript: async () => {
      const tensors = repositoryTensors(model, await tools.readers.torchscript({ path: model.file }));
      const given = {
        shapes: { ...tensors.shapes, ...shapes },
        datatypes: { ...tensors.datatypes, ...datatypes },
      };
      return openTorchscript(model.file, given, {}, tools);
    },
  }[model.kind]();
  const title = basename(path);
  const { choice, code, trusted, asked } = found;
  const source = (choice?.overrides['model'] as { source: ModelSource } | undefined)?.source;
  if (source === undefined) return { ...found, title };
  const misfit = repositoryMisfit(model, source, path);
  if (misfit !== null) throw misfit;
  const named = { ...(model.kind === 'torchscript' ? withRepositoryNames(source, model) : source), title };
  const { batched } = named;
  const notes = [...found.notes, ...repositoryNotes(model, batched)];
  return { ...opened(named, repositoryOverrides(model, batched), { code, trusted, notes }), asked };
}

type OpenInput = z.output<typeof openModelSchema>;

async function openAsIs(path: string, input: OpenInput, tools: OpenModelTools): Promise<OpenedModel> {
  const { source, open, code, trusted, notes } = await openRepository(path, input, tools);
  const { kind, title } = source;
  const asked = open.map((name) => ({ name, shape: null }));
  if (!trusted || open.length > 0) {
    return { kind, path, title, code, trusted, choice: null, preset: null, asked, notes };
  }
  return opened(source, {}, { code, trusted, notes });
}

/** Throws input-invalid for models beside another kind of model, or beside a rewritten one. */
function requireRepository(isOne: boolean, { with: beside, rewrite, path }: OpenInput): void {
  if (!isOne && beside.length > 0) {
    throw invalidInput(
      '--with',
      '--with applies only to a model of a Triton repository',
      `Leave it out for ${path}.`,
    );
  }
  if (rewrite && beside.length > 0) {
    const remedy = 'Leave --rewrite out to serve the repository as it is.';
    throw invalidInput('--with', '--rewrite serves one model only', remedy);
  }
}

/**
 * Opens a file or folder as a model; executes nothing that is not trusted.
 * Throws input-invalid, model-file-invalid or model-folder-invalid naming file, function and remedy.
 */
export async function openModel(input: OpenModelInput, tools: OpenModelTools): Promise<OpenedModel> {
  const parsed = openModelSchema.parse(input);
  const { shapes, datatypes, path: asked, rewrite } = parsed;
  const { path, kind } = await modelPathKind(asked);
  requireRepository(kind === 'repository' || kind === 'repositories', parsed);
  switch (kind) {
    case 'onnx':
      return openOnnx(path, shapes, {}, tools);
    case 'torchscript':
      return openTorchscript(path, { shapes, datatypes }, {}, tools);
    case 'savedmodel':
      return openSavedModel(path, shapes, {}, tools);
    case 'huggingface':
      return openHuggingFace(path, shapes, tools);
    case 'trees':
      return openTrees(path, shapes, tools);
    case 'folder':
      return openFolder(path, tools);
    case 'repository':
    case 'repositories': {
      const model = kind === 'repository' ? path : await mainModel(path, tools.readers);
      return rewrite ? openRewritten(model, { shapes, datatypes }, tools) : openAsIs(model, parsed, tools);
    }
  }
}

export interface OwnModels {
  readonly handlers: Pick<Handlers, 'models.check' | 'models.open' | 'models.trust'>;
  readonly trust: Trust;
  /** What trusting the path would cover. Throws as `models.open`. */
  code(input: OpenModelInput): Promise<ModelCode>;
}

export interface ModelCode {
  readonly path: string;
  readonly kind: OpenedModel['kind'];
  /** Empty where the model is data only. */
  readonly files: OpenedModel['code'];
  /** SHA-256 (hex) over names and contents. */
  readonly sha256: string;
}

interface OwnModelsOptions {
  /** `trusted.json` of the home. */
  readonly trustFile: string;
  readonly toolkit: Toolkit;
  readonly readers: ModelReaders;
  readonly now: () => Date;
}

/** Other results of the toolkit are not part of the source. */
const inspected = z.object(sourceSchema.unwrap().pick({ inputs: true, outputs: true, batched: true }).shape);

export function createOwnModels({ trustFile, toolkit, readers, now }: OwnModelsOptions): OwnModels {
  const trust = createTrust(trustFile, now, readers);
  const inspect: OpenModelTools['inspect'] = async (path, inputs) => {
    const args = [['--path', path] as const, ['--inputs', JSON.stringify(inputs)] as const];
    return toolkit.call({ verb: 'inspect', args }, inspected, silentListener(AbortSignal.timeout(120_000)));
  };
  const tools = { trust, readers, inspect };
  const locationOf = async (input: OpenModelInput, { kind, path }: OpenedModel) =>
    kind === 'repository'
      ? (await openRepository(path, openModelSchema.parse(input), tools)).source
      : { kind, path };
  return {
    trust,
    handlers: {
      'models.check': ({ paths }) => checkRepositories(paths, readers),
      'models.open': (input) => openModel(input, tools),
      'models.trust': async ({ sha256, ...input }) => {
        await trust.trust(await locationOf(input, await openModel(input, tools)), sha256);
        return openModel(input, tools);
      },
    },
    code: async (input) => {
      const found = await openModel(input, tools);
      const { kind, path, code: files } = found;
      return { kind, path, files, sha256: await trust.hash(await locationOf(input, found)) };
    },
  };
}
