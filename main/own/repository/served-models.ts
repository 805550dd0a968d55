import { join } from 'node:path';
import { invalidInput, toWire, WorkbenchError } from '../../contract/errors';
import { nearestName } from '../../contract/fields/nearest-name';
import type { CheckedModel } from '../../contract/repository-check';
import { requireInertConfig } from '../../formats/inert-config';
import { listModelFiles } from '../model-files';
import type { ModelReaders } from '../model-readers';
import { checkModels, modelNames } from './check-repository';
import { backendIn, listModelFolder } from './model-folder';

/**
 * The named models, each followed by those that it is made of, and checked. Throws input-invalid for a name that the
 * repository lacks, and model-folder-invalid with what Triton would refuse.
 */
export async function loadableModels(
  repository: string,
  names: readonly string[],
  readers: ModelReaders,
): Promise<readonly CheckedModel[]> {
  const checked = await checkModels(repository, names, readers);
  const known = new Map(checked.map((model) => [model.name, model]));
  const found = new Set<CheckedModel>();
  const add = (name: string): void => {
    const model = known.get(name);
    if (model === undefined || found.has(model)) return;
    found.add(model);
    model.steps.forEach(add);
  };
  for (const name of names) {
    if (!known.has(name)) {
      const all = await modelNames(repository);
      const near = nearestName(name, all);
      const listed = all.slice(0, 30).join(', ');
      throw invalidInput(
        repository,
        `The repository has no model "${name}"`,
        near === null ? `Its models are: ${listed}.` : `Give ${near}.`,
      );
    }
    add(name);
  }
  requireLoadable([...found], repository);
  return [...found];
}

function requireLoadable(models: readonly CheckedModel[], repository: string): void {
  for (const { name, problems, diff } of models) {
    const [problem] = problems;
    if (problem === undefined) continue;
    throw new WorkbenchError('model-folder-invalid', problem.message, {
      where: join(repository, problem.where),
      remedy: `${problem.remedy.replace(/[.]?$/, '.')} "triton-workbench check ${join(repository, name)}" ${diff === null ? 'lists the problems of its files.' : 'shows the change that fixes it.'}`,
      ...(problem.triton === null ? {} : { details: `Message of Triton: ${problem.triton}` }),
    });
  }
}

/** Backends whose models are data: Triton, or ONNX Runtime, reads them. */
const ofData: ReadonlySet<string> = new Set(['ensemble', 'onnxruntime']);

/** Triton looks for the library of a backend in the folder of the model first. */
const program = /\.(so(\.\d+)*|py|pyc|pyd|dll|sh)$|^(libtriton_.*)$/i;

/**
 * Whether Triton executes a model's files, or a library or environment that its configuration names: for all but ONNX and
 * ensembles it does.
 */
export async function executesFiles(path: string, readers: ModelReaders): Promise<boolean> {
  const [folder, { config }] = [await listModelFolder(path), await readers.repositoryConfig({ path })];
  if (config === null) return true;
  const backend = backendIn(config, [...folder.inVersion.values()].flat());
  if (!ofData.has(backend)) return true;
  if ((await listModelFiles(path)).some((file) => program.test(file.path))) return true;
  try {
    requireInertConfig({ ...config, ensembleScheduling: undefined });
    return false;
  } catch (error) {
    if (toWire(error).code === 'config-invalid') return true;
    throw error;
  }
}
