import { access, constants, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { ModelSource } from '../contract/run/run-spec';
import { isFileOfKind, recognizedRefusal } from './recognize-file';

export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
}

/** A code folder: more files mean a data set in the wrong place. */
const fileLimit = 5000;

/** Changes with every commit and is not part of a model; trusted links must not lead there. */
const leftOut = '.git';

export const fileRefused = (where: string, message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('model-file-invalid', message, { where, remedy });
export const folderRefused = (where: string, message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('model-folder-invalid', message, { where, remedy });

/**
 * Every file of a model folder, compiled ones and links included. What is listed is trusted, so nothing may lead outside.
 * Throws model-folder-invalid for links out of the folder or into .git, pipes and devices.
 */
export async function listModelFiles(folder: string): Promise<readonly ModelFile[]> {
  const root = await realpath(folder);
  const found: ModelFile[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(root, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      const full = join(root, path);
      if (entry.isDirectory()) {
        if (entry.name !== leftOut) await walk(path);
        continue;
      }
      if (entry.isSymbolicLink()) {
        const target = await realpath(full).catch(() => null);
        const parts = target === null ? ['..'] : relative(root, target).split(sep);
        if (parts.includes(leftOut)) {
          throw folderRefused(
            full,
            `${path} is a link into ${leftOut}, which is not part of what is trusted`,
            'Copy the file that it leads to into the folder, in place of the link.',
          );
        }
        if (parts.includes('..') || !(await stat(full)).isFile()) {
          throw folderRefused(
            full,
            `${path} is a link that leads out of the model folder, or to a folder`,
            'Copy its target into the folder: only files in the folder are trusted.',
          );
        }
      } else if (!entry.isFile()) {
        throw folderRefused(
          full,
          `${path} is not a regular file`,
          'Remove the pipe, socket or device from the folder.',
        );
      }
      const stats = await stat(full).catch(() => {
        // A name that is not UTF-8 is decoded to another one, which leads nowhere.
        throw folderRefused(
          full,
          `${path} cannot be read by its name`,
          'Give the file a plain name, or remove it.',
        );
      });
      found.push({ path, bytes: stats.size });
      if (found.length > fileLimit) {
        const remedy = 'Keep the data set elsewhere and name it with --dataset.';
        throw folderRefused(folder, `The model folder holds more than ${fileLimit} files`, remedy);
      }
    }
  };
  await walk('');
  return found;
}

const modelEnding =
  /^config\.json$|\.(keras|h5|tflite|pb|joblib|pkl|ubj|cbm|bin|safetensors|gguf|xml|pdmodel|mlmodel|caffemodel|params|plan|engine|ort|pt2|skops)$/i;

/** `repositories`: a folder of models; `repository`: one of them. */
type PathKind = ModelSource['kind'] | 'repositories';

const kindsText =
  'an .onnx file, a TorchScript .pt or .ts file, a file of XGBoost, LightGBM or skops, a SavedModel folder, a Hugging Face folder, a folder with model.py, or a model of a Triton repository';

const mostListed = 30;

/** Asks for one of several models. */
export function wholeRepository(path: string, models: readonly string[]): WorkbenchError {
  const listed = models.slice(0, mostListed);
  const more = models.length > mostListed ? `, and ${models.length - mostListed} more` : '';
  const [count, which] =
    models.length === 1 ? ['1 model', 'the model'] : [`${models.length} models`, 'one of them'];
  return folderRefused(
    path,
    `This is a whole model repository with ${count}: ${listed.join(', ')}${more}`,
    `Give ${which}: ${join(path, models[0] ?? '')}`,
  );
}

/** A folder with numeric subfolders, like model versions. */
async function hasVersions(path: string): Promise<boolean> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.isDirectory() && /^[1-9]\d*$/.test(entry.name));
}

/** Models of a repository: Triton completes most of those without config.pbtxt. */
export async function modelsIn(path: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of [...names].sort().slice(0, fileLimit)) {
    const has = await stat(join(path, name, 'config.pbtxt')).catch(() => null);
    if (has !== null || (await hasVersions(join(path, name)))) found.push(name);
  }
  return found;
}

/** Another program's folder, by its first known file. */
async function foreignFile(folder: string, names: readonly string[]): Promise<WorkbenchError | null> {
  for (const name of [...names].sort().slice(0, 50)) {
    const path = join(folder, name);
    if (!modelEnding.test(name) || (await stat(path).catch(() => null))?.isFile() !== true) continue;
    const found = recognizedRefusal(path);
    if (found === null) continue;
    return folderRefused(path, `The folder has no model.py; ${found.message}`, found.remedy ?? '');
  }
  return null;
}

/** config.json of transformers, or a part of a model that comes without one; what it is worth is seen when it is read. */
async function isHuggingFace(path: string): Promise<boolean> {
  for (const name of ['adapter_config.json', 'model_index.json', 'config.json']) {
    const file = join(path, name);
    const found = await stat(file).catch(() => null);
    if (found?.isFile() !== true) continue;
    if (name !== 'config.json' || isFileOfKind(file, 'huggingFace')) return true;
  }
  return false;
}

async function folderKind(path: string): Promise<PathKind> {
  const has = (name: string) =>
    stat(join(path, name)).then(
      () => true,
      () => false,
    );
  if (await has('saved_model.pb')) return 'savedmodel';
  if (await has('saved_model.pbtxt')) {
    throw folderRefused(
      path,
      'The graph of this SavedModel is written as text (saved_model.pbtxt)',
      'Save it again as saved_model.pb: tf.saved_model.save(tf.saved_model.load(folder), other folder).',
    );
  }
  if (await has('config.pbtxt')) return 'repository';
  if (await has('model.py')) return 'folder';
  const names = await readdir(path);
  // All missing files are reported together.
  if (names.some((name) => /^(dataloader\.py|metrics\.py|preset\.yaml)$/.test(name))) return 'folder';
  if (await isHuggingFace(path)) return 'huggingface';
  if (await hasVersions(path)) return 'repository';
  const models = await modelsIn(path, names);
  if (models.length > 0) return 'repositories';
  const files = names.filter((name) => /\.(onnx|pt|pth|ts|torchscript|jit)$/i.test(name));
  if (files.length > 0) {
    const listed = files.slice(0, 5).join(', ');
    const first = join(path, files[0] ?? '');
    throw folderRefused(
      path,
      `The folder has no model.py; it holds ${listed}`,
      `Give the file itself, for example ${first}; a model folder with code is written by "init DIR".`,
    );
  }
  const foreign = await foreignFile(path, names);
  if (foreign !== null) throw foreign;
  for (const name of names.slice(0, 50)) {
    const below = join(path, name);
    const inner = await modelsIn(below, await readdir(below).catch(() => []));
    if (inner.length > 0) throw wholeRepository(below, inner);
  }
  throw folderRefused(path, 'The folder holds no model', `Give ${kindsText}; "init DIR" writes a template.`);
}

/** Kind of a path by its appearance. Throws input-invalid, model-file-invalid or model-folder-invalid. */
export async function modelPathKind(
  given: string,
): Promise<{ readonly path: string; readonly kind: PathKind }> {
  const path = resolve(given);
  const found = await stat(path).catch(() => null);
  if (found === null) {
    const link = await lstat(path).catch(() => null);
    throw invalidInput(
      path,
      link === null ? `${path} does not exist` : `${path} is a link that leads nowhere`,
      `Give ${kindsText}.`,
    );
  }
  const readable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!readable) {
    throw fileRefused(path, `${basename(path)} cannot be read`, `Make it readable: chmod u+r ${path}`);
  }
  if (found.isDirectory()) return { path, kind: await folderKind(path) };
  if (!found.isFile()) {
    throw fileRefused(
      path,
      `${basename(path)} is a pipe, socket or device, not a file`,
      `Give ${kindsText}.`,
    );
  }
  if (found.size === 0) throw fileRefused(path, `${basename(path)} is empty`, 'Copy or export it again.');
  // Dialogs offer files, but the model is the whole folder.
  if (basename(path) === 'saved_model.pb') return { path: dirname(path), kind: 'savedmodel' };
  if (/\.onnx$/i.test(path)) return { path, kind: 'onnx' };
  if (/\.(pt|pth|ts|torchscript|jit|ptl)$/i.test(path)) return { path, kind: 'torchscript' };
  if (isFileOfKind(path, 'trees')) return { path, kind: 'trees' };
  throw (
    recognizedRefusal(path) ??
    fileRefused(
      path,
      `${basename(path)} is not a supported kind of model file`,
      `Give ${kindsText}. Rename a file of one of these kinds that has another extension.`,
    )
  );
}
