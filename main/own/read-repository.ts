import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toWire, WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { ModelSource } from '../contract/run-spec';
import { backendOf } from '../formats/patched-config';
import { readBoundedFile } from '../platform/read-bounded-file';
import { parseConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';

export interface RepositoryModel {
  readonly kind: Exclude<ModelSource['kind'], 'folder'>;
  readonly config: ModelConfig;
  /** The model file, or the SavedModel folder, of the newest version. */
  readonly file: string;
  readonly version: number;
}

const kinds: Readonly<Record<string, { readonly kind: RepositoryModel['kind']; readonly file: string }>> = {
  onnxruntime: { kind: 'onnx', file: 'model.onnx' },
  pytorch: { kind: 'torchscript', file: 'model.pt' },
  tensorflow: { kind: 'savedmodel', file: 'model.savedmodel' },
};

const refused = (where: string, message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('model-folder-invalid', message, { where, remedy });

export const mostConfigBytes = fileLimits.configPbtxt.bytes;

/** Text of config.pbtxt. It comes with a repository of any origin, so it may lead nowhere else. */
async function configText(path: string): Promise<string> {
  const found = await readBoundedFile(path, mostConfigBytes);
  if ('text' in found) return found.text;
  throw refused(
    path,
    `config.pbtxt cannot be read: ${found.problem}`,
    `Put a regular file of at most ${mostConfigBytes} bytes there; links, pipes and devices are not followed.`,
  );
}

/** Throws model-folder-invalid where the model is not what its backend loads: a file, or the folder of a SavedModel. */
async function checkModelFile(file: string, kind: RepositoryModel['kind'], usual: string): Promise<void> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) {
    throw refused(
      file,
      'The version folder lacks the model file',
      `Its name is ${usual}, or default_model_filename.`,
    );
  }
  if (kind === 'savedmodel' ? stats.isDirectory() : stats.isFile()) return;
  const wanted = kind === 'savedmodel' ? 'a folder' : 'a regular file';
  throw refused(
    file,
    `The model is not ${wanted}`,
    `Put ${wanted} there; links, pipes and devices are not followed.`,
  );
}

/** A model of a Triton repository: its config.pbtxt and the file of its newest version. Throws model-folder-invalid. */
export async function readRepository(folder: string): Promise<RepositoryModel> {
  const path = join(folder, 'config.pbtxt');
  const text = await configText(path);
  let config: ModelConfig;
  try {
    config = parseConfigPbtxt(text);
  } catch (error) {
    const { message, where } = toWire(error);
    throw refused(`${path}${where === undefined ? '' : `, ${where}`}`, message, 'Correct config.pbtxt.');
  }
  const backend = backendOf(config);
  const known = kinds[backend];
  if (known === undefined) {
    const python = backend === 'python';
    throw refused(
      path,
      python
        ? 'A model of the Python backend is code without a source to compare with; it is not executed'
        : `Models of the backend "${backend}" cannot be opened`,
      python
        ? 'Put its model into a model folder ("init DIR" writes one), or measure it where it is served: perf --url.'
        : 'Give a model of the backend onnxruntime, pytorch or tensorflow, or measure it where it is served: perf --url.',
    );
  }
  const versions = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && /^[1-9]\d*$/.test(entry.name))
    .map((entry) => Number(entry.name))
    .sort((a, b) => b - a);
  const [newest] = versions;
  if (newest === undefined) {
    throw refused(
      folder,
      'The model has no version folder',
      'Put the model file into a folder "1" beside config.pbtxt.',
    );
  }
  const name = config.defaultModelFilename ?? '';
  const file = join(folder, String(newest), name === '' ? known.file : name);
  if (name.includes('/') || name.includes('..')) {
    throw refused(
      path,
      `default_model_filename leads out of the version folder: "${name.slice(0, 200)}"`,
      `Give the plain name of a file in the version folder, as ${known.file}.`,
    );
  }
  await checkModelFile(file, known.kind, known.file);
  return { kind: known.kind, config, file, version: newest };
}
