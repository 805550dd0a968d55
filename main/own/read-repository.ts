import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { toWire, type WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { ModelSource } from '../contract/run/run-spec';
import { backendOf } from '../formats/patched-config';
import { exists } from '../platform/files';
import { readBoundedFile } from '../platform/plain-entry';
import { parseConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { ensembleModels } from '../triton/model-traits';
import { folderRefused } from './model-files';

export interface RepositoryModel {
  readonly kind: Exclude<ModelSource['kind'], 'folder' | 'repository' | 'huggingface' | 'trees'>;
  readonly config: ModelConfig;
  readonly folderName: string;
  /** Model file, or SavedModel folder, of the newest version. */
  readonly file: string;
  readonly version: number;
  /** A config.pbtxt in the version folder, which Triton ignores. */
  readonly hasStrayConfig: boolean;
}

/** Backends whose files can be read, and the file's usual name. */
export const readableBackends: Readonly<
  Record<string, { readonly kind: RepositoryModel['kind']; readonly file: string }>
> = {
  onnxruntime: { kind: 'onnx', file: 'model.onnx' },
  pytorch: { kind: 'torchscript', file: 'model.pt' },
  tensorflow: { kind: 'savedmodel', file: 'model.savedmodel' },
};

export const mostConfigBytes = fileLimits.configPbtxt.bytes;

/** A foreign repository: it must not lead elsewhere. */
async function configText(path: string): Promise<string> {
  const found = await readBoundedFile(path, mostConfigBytes);
  if ('text' in found) return found.text;
  throw folderRefused(
    path,
    `config.pbtxt cannot be read: ${found.problem}`,
    `Put a regular file of at most ${mostConfigBytes} bytes there; links, pipes and devices are not followed.`,
  );
}

/** Error of a version folder without the model file, naming what is there. */
function missingFile(file: string, usual: string, names: readonly string[]): WorkbenchError {
  const alike = names.filter((name) => extname(name) === extname(usual));
  const [other] = Object.entries(readableBackends).filter(([, kind]) => names.includes(kind.file));
  const [first] = alike;
  if (first !== undefined) {
    return folderRefused(
      file,
      `The version folder has no ${basename(file)}; it has ${alike.slice(0, 5).join(', ')}`,
      `Rename it to ${basename(file)}, or write default_model_filename: "${first}" in config.pbtxt. To run it without that configuration, give the file: ${join(dirname(file), first)}`,
    );
  }
  if (other !== undefined) {
    const [backend, { file: found }] = other;
    return folderRefused(
      file,
      `The version folder has no ${basename(file)}; it has ${found}, which is a model of another backend`,
      `Write backend: "${backend}" in config.pbtxt, in place of its platform or backend.`,
    );
  }
  return folderRefused(
    file,
    `The version folder lacks the model file ${basename(file)}`,
    `Its name is ${usual}, or default_model_filename.`,
  );
}

/** Throws model-folder-invalid where the model is not what its backend loads: a file, or a SavedModel folder. */
async function checkModelFile(file: string, kind: RepositoryModel['kind'], usual: string): Promise<void> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) throw missingFile(file, usual, await readdir(dirname(file)));
  if (kind === 'savedmodel' ? stats.isDirectory() : stats.isFile()) return;
  const wanted = kind === 'savedmodel' ? 'a folder' : 'a regular file';
  throw folderRefused(
    file,
    `The model is not ${wanted}`,
    `Put ${wanted} there; links, pipes and devices are not followed.`,
  );
}

/** Empty where there is none. Throws model-folder-invalid. */
async function configOf(folder: string): Promise<ModelConfig> {
  const path = join(folder, 'config.pbtxt');
  if ((await lstat(path).catch(() => null)) === null) return parseConfigPbtxt('');
  const text = await configText(path);
  try {
    return parseConfigPbtxt(text);
  } catch (error) {
    const { message, where, remedy } = toWire(error);
    throw folderRefused(
      // The place begins with the name of the file.
      where === undefined ? path : join(folder, where),
      message,
      remedy ??
        'Write that line as NAME: VALUE, with messages in braces, lists in brackets and texts in quotes.',
    );
  }
}

const measureThere = 'measure it where it is served: perf -m NAME -u HOST:PORT.';
const measureHere = 'measure it as it is: perf -m NAME --model-repository FOLDER.';

const otherBackends: Readonly<Record<string, readonly [string, string]>> = {
  python: [
    'A model of the Python backend is code without a source to compare with; it is not executed',
    `Put its model into a model folder ("init DIR" writes one), or ${measureHere}`,
  ],
  ensemble: ['An ensemble has no model file of its own', `Give the model of a step, or ${measureHere}`],
  tensorrt: [
    'A TensorRT plan is built for one kind of GPU: models of the backend "tensorrt" cannot be opened',
    `Give the ONNX file that it was built from (--format trt builds the plan), or ${measureThere}`,
  ],
};

/** Common misnomers of Triton's backends. */
export const meantBackends: readonly (readonly [RegExp, string])[] = [
  [/^onnx/i, 'onnxruntime'],
  [/torch/i, 'pytorch'],
  [/^(tf|tensorflow)/i, 'tensorflow'],
  [/^(trt|tensorrt)(?!.*llm)/i, 'tensorrt'],
];

function unknownBackend(backend: string): readonly [string, string] {
  const message = `Models of the backend "${backend}" cannot be opened`;
  const meant = meantBackends.find(([name]) => name.test(backend))?.[1];
  return meant === undefined
    ? [message, `Give a model of the backend onnxruntime, pytorch or tensorflow, or ${measureThere}`]
    : [
        `${message}; did you mean ${meant}?`,
        `Write backend: "${meant}" in config.pbtxt, in place of its platform or backend, or ${measureThere}`,
      ];
}

function backendRefusal(path: string, backend: string, config: ModelConfig): WorkbenchError {
  const [message, remedy] = otherBackends[backend] ?? unknownBackend(backend);
  const steps = ensembleModels(config).map((name) => `"${name}"`);
  if (steps.length === 0) return folderRefused(path, message, remedy);
  const are = steps.length === 1 ? 'its only step is' : 'its steps are';
  return folderRefused(path, `${message}: ${are} ${steps.join(', ')}`, remedy);
}

/** Folders that look like versions and that Triton ignores: "v1", "01", "latest". */
function misnamedVersion(folder: string, names: readonly string[]): WorkbenchError | null {
  const [first] = names;
  if (first === undefined) return null;
  return folderRefused(
    folder,
    `The model has no version folder: Triton ignores ${names.slice(0, 5).join(', ')}, whose ${names.length === 1 ? 'name is' : 'names are'} not a whole number of at least 1`,
    `Rename it: mv ${join(folder, first)} ${join(folder, '1')}`,
  );
}

async function foldersWithModels(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const endings = new Set([...Object.values(readableBackends).map(({ file }) => extname(file)), '.plan']);
  const found: string[] = [];
  for (const name of names) {
    const inside = await readdir(join(folder, name)).catch(() => []);
    if (inside.some((one) => endings.has(extname(one)))) found.push(name);
  }
  return found;
}

/** Newest served version. Throws model-folder-invalid without one. */
async function versionOf(folder: string, config: ModelConfig): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const versions = entries
    .filter((entry) => entry.isDirectory() && /^[1-9]\d*$/.test(entry.name))
    .map((entry) => Number(entry.name));
  if (versions.length === 0) {
    const model = entries.find(({ name }) =>
      Object.values(readableBackends).some(({ file }) => extname(file) === extname(name)),
    );
    const from = model === undefined ? null : join(folder, model.name);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const misnamed = from === null ? misnamedVersion(folder, await foldersWithModels(folder, folders)) : null;
    if (misnamed !== null) throw misnamed;
    throw folderRefused(
      folder,
      from === null
        ? 'The model has no version folder'
        : `The model has no version folder; ${model?.name ?? ''} is beside config.pbtxt`,
      from === null
        ? 'Put the model file into a folder "1" beside config.pbtxt.'
        : `Triton expects it in a folder "1": mkdir ${join(folder, '1')} && mv ${from} ${join(folder, '1')}/. To run it without that configuration, give the file: ${from}`,
    );
  }
  const specific = (config.versionPolicy?.['specific'] as { versions?: readonly unknown[] } | undefined)
    ?.versions;
  const served = versions.filter((version) => specific?.map(Number).includes(version) !== false);
  const [newest] = served.sort((a, b) => b - a);
  if (newest !== undefined) return newest;
  throw folderRefused(
    join(folder, 'config.pbtxt'),
    `version_policy serves version ${(specific ?? []).join(', ')}, which has no folder`,
    `Its folders are: ${versions.join(', ')}.`,
  );
}

/** Backend that Triton derives from the file, where the configuration has none. */
async function backendFor(folder: string, config: ModelConfig, version: number): Promise<string> {
  const backend = backendOf(config);
  if (backend !== '') return backend;
  const names = await readdir(join(folder, String(version)));
  const found = Object.entries(readableBackends).find(([, { file }]) => names.includes(file));
  if (found !== undefined) return found[0];
  const plan = names.includes('model.plan');
  if (plan) return 'tensorrt';
  const same = Object.entries(readableBackends).find(([, { file }]) =>
    names.some((name) => extname(name) === extname(file)),
  );
  return same?.[0] ?? '';
}

/** config.pbtxt and newest version's file of a repository's model. Throws model-folder-invalid. */
export async function readRepository(folder: string): Promise<RepositoryModel> {
  const path = join(folder, 'config.pbtxt');
  const config = await configOf(folder);
  if (config.maxBatchSize < 0) {
    throw folderRefused(
      path,
      `max_batch_size is ${config.maxBatchSize}`,
      'Write the maximum number of items per request, or max_batch_size: 0 for a model without a batch axis.',
    );
  }
  const written = backendOf(config);
  if (written !== '' && readableBackends[written] === undefined) throw backendRefusal(path, written, config);
  if (ensembleModels(config).length > 0) throw backendRefusal(path, 'ensemble', config);
  const version = await versionOf(folder, config);
  const backend = await backendFor(folder, config, version);
  const known = readableBackends[backend];
  if (known === undefined) {
    if (backend !== '') throw backendRefusal(path, backend, config);
    throw folderRefused(
      join(folder, String(version)),
      'config.pbtxt names no backend, and the version folder has no file from which it can be inferred',
      `Put ${Object.values(readableBackends)
        .map(({ file }) => file)
        .join(', ')} there, or write backend: "onnxruntime" in config.pbtxt.`,
    );
  }
  const name = config.defaultModelFilename ?? '';
  if (name.includes('/') || name.includes('..')) {
    throw folderRefused(
      path,
      `default_model_filename leads out of the version folder: "${name.slice(0, 200)}"`,
      `Give the plain name of a file in the version folder, as ${known.file}.`,
    );
  }
  const file = join(folder, String(version), name === '' ? known.file : name);
  await checkModelFile(file, known.kind, known.file);
  const hasStrayConfig = await exists(join(folder, String(version), 'config.pbtxt'));
  return { kind: known.kind, config, folderName: basename(folder), file, version, hasStrayConfig };
}
