import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { invalidInput } from '../../contract/errors';
import type { CheckedModel, RepositoryCheck } from '../../contract/repository-check';
import { readBoundedFile } from '../../platform/plain-entry';
import { parseConfigPbtxt } from '../../triton/config/config-pbtxt';
import { frozenGraph } from '../../triton/config/image-needs';
import type { ModelConfig } from '../../triton/model-config';
import { ensembleModels } from '../../triton/model-traits';
import type { ModelReaders } from '../model-readers';
import { mostConfigBytes } from '../read-repository';
import { type FileTensor, typeName } from '../repository-fit';
import { checkModel, type ModelFacts, readFacts } from './check-model';
import type { EnsemblePart } from './ensemble-rules';
import { readModelFile } from './file-tensors';
import { backendIn, listModelFolder, modelFileName, servedVersions } from './model-folder';
import { codeProblem } from './python-rules';

interface Target {
  readonly repository: string;
  /** Models to report; null: all. */
  readonly only: readonly string[] | null;
}

const emptyConfig = parseConfigPbtxt('');

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const has = (names: readonly string[], name: string): boolean => names.includes(name);

async function isModel(path: string): Promise<boolean> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const names = entries.map(({ name }) => name);
  const isVersion = entries.some((entry) => entry.isDirectory() && /^[1-9]\d*$/.test(entry.name));
  return isVersion || has(names, 'config.pbtxt');
}

/** A repository, one model in it, or a config.pbtxt of one. Throws input-invalid. */
async function targetOf(given: string): Promise<Target> {
  const path = resolve(given);
  if (basename(path) === 'config.pbtxt' && !(await isFolder(path))) return targetOf(dirname(path));
  if (!(await isFolder(path))) {
    const remedy = 'Give the folder of a repository, of one model in it, or its config.pbtxt.';
    throw invalidInput(path, `${path} is not a folder`, remedy);
  }
  if (await isModel(path)) return { repository: dirname(path), only: [basename(path)] };
  return { repository: path, only: null };
}

/** That of a model's path, too. Throws input-invalid. */
export const repositoryAt = async (path: string): Promise<string> => (await targetOf(path)).repository;

/** Every folder of a repository is a model, as Triton has it. */
export async function modelNames(repository: string): Promise<readonly string[]> {
  const entries = await readdir(repository, { withFileTypes: true });
  const names = entries.map(({ name }) => name).filter((name) => !name.startsWith('.'));
  const folders = await Promise.all(names.map((name) => isFolder(join(repository, name))));
  return names.filter((_, index) => folders[index] === true).sort();
}

/** Text of a model.py; '' where it cannot be read, or is too large. */
async function codeOf(path: string): Promise<string> {
  const found = await readBoundedFile(path, mostConfigBytes);
  return 'text' in found ? found.text : '';
}

/** Names of other models of the repository that the text of a model.py has in quotes. */
const namedIn = (text: string, others: readonly string[]): readonly string[] =>
  others.filter((name) => text.includes(`"${name}"`) || text.includes(`'${name}'`));

/** What the text of a model.py shows. */
async function readCode(
  path: string,
  others: readonly string[],
): Promise<Pick<ModelFacts, 'named' | 'code'>> {
  const text = await codeOf(path);
  return { named: namedIn(text, others), code: codeProblem(text, path) };
}

/** What reads the file of a model; the graphs of TensorFlow of one file are not read. */
const readerOf = (backend: string, { platform }: ModelConfig): string =>
  platform === frozenGraph ? frozenGraph : backend;

async function factsOf(path: string, models: readonly string[], readers: ModelReaders): Promise<ModelFacts> {
  const [folder, file] = await Promise.all([listModelFolder(path), readers.repositoryConfig({ path })]);
  const { config, mistakes, text } = readFacts(folder, file);
  const version = config === null ? null : (servedVersions(config, folder.versions).at(-1) ?? null);
  const names = version === null ? folder.others : (folder.inVersion.get(version) ?? []);
  const backend = config === null ? '' : backendIn(config, names);
  const name = config === null ? null : modelFileName(config, backend);
  const reading =
    version === null || name === null || backend === 'ensemble'
      ? ({ kind: 'unread' } as const)
      : await readModelFile(
          readerOf(backend, config ?? emptyConfig),
          join(path, String(version), name),
          readers,
        );
  const read =
    backend === 'python'
      ? await readCode(
          join(path, String(version ?? 1), name ?? ''),
          models.filter((one) => one !== folder.name),
        )
      : { named: [], code: null };
  return { folder, file, text, config, mistakes, backend, version, reading, ...read };
}

/** `default-max-batch-size` of Triton's ONNX Runtime and TensorFlow backends. */
const completedBatchSize = 4;

/** Tensors that Triton fills in from the file where the configuration has none. */
function completed(config: ModelConfig, { reading, backend }: ModelFacts): EnsemblePart['config'] {
  const { input, output, maxBatchSize } = config;
  if (input.length > 0 && output.length > 0) return config;
  if (reading.kind !== 'tensors' || backend === 'ensemble') return null;
  const all = [...reading.tensors.inputs, ...reading.tensors.outputs];
  const batched = all.every(({ shape }) => shape?.[0] === -1);
  const size = maxBatchSize === 0 && batched ? completedBatchSize : maxBatchSize;
  const filled = (tensors: readonly FileTensor[]) =>
    tensors.map(({ name, datatype, shape }) => ({
      name,
      dataType: typeName(datatype ?? 'INVALID'),
      dims: [...(size > 0 ? (shape ?? []).slice(1) : (shape ?? []))],
    }));
  return {
    maxBatchSize: size,
    input: input.length > 0 ? input : filled(reading.tensors.inputs),
    output: output.length > 0 ? output : filled(reading.tensors.outputs),
  };
}

function partOf(facts: ModelFacts, loads: boolean): EnsemblePart {
  const { config, folder } = facts;
  return {
    ...{ name: folder.name, loads },
    versions: config === null ? [] : servedVersions(config, folder.versions),
    config: config === null ? null : completed(config, facts),
    steps: config === null ? [] : ensembleModels(config),
  };
}

/** Ensembles after the models that they are made of; those in a circle last. */
function inOrder(all: readonly ModelFacts[]): readonly ModelFacts[] {
  const left = new Map(all.map((facts) => [facts.folder.name, facts]));
  const found: ModelFacts[] = [];
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [name, facts] of left) {
      const steps = facts.config === null ? [] : ensembleModels(facts.config);
      if (steps.some((step) => left.has(step))) continue;
      found.push(facts);
      left.delete(name);
    }
  }
  return [...found, ...left.values()];
}

/** Facts of the named models and of those that they are made of. Others beside them are not read. */
async function factsWithSteps(
  repository: string,
  names: readonly string[],
  readers: ModelReaders,
): Promise<readonly ModelFacts[]> {
  const facts = new Map<string, ModelFacts>();
  const models = await modelNames(repository).catch(() => []);
  const left = [...names];
  // One after another: each file is read by a process of its own.
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const path = join(repository, name);
    if (facts.has(name) || basename(path) !== name || !(await isFolder(path))) continue;
    const one = await factsOf(path, models, readers);
    facts.set(name, one);
    if (one.config !== null) left.push(...ensembleModels(one.config));
  }
  return [...facts.values()];
}

/** The named models and those that they are made of, as Triton would load them; a name without a folder is left out. */
export async function checkModels(
  repository: string,
  names: readonly string[],
  readers: ModelReaders,
): Promise<readonly CheckedModel[]> {
  const facts = await factsWithSteps(repository, names, readers);
  const parts = new Map(facts.map((one) => [one.folder.name, partOf(one, true)]));
  const checked: CheckedModel[] = [];
  for (const one of inOrder(facts)) {
    const model = checkModel(one, parts);
    checked.push(model);
    parts.set(model.name, partOf(one, model.verdict !== 'does not load'));
  }
  return checked;
}

/** A folder that has models, where the repository itself has none; null: without such a folder, or with models of its own. */
async function nestedRepository(repository: string, names: readonly string[]): Promise<string | null> {
  const anyModel = async (folder: string, inner: readonly string[]) =>
    (await Promise.all(inner.map((name) => isModel(join(folder, name))))).includes(true);
  if (await anyModel(repository, names)) return null;
  for (const name of names) {
    const folder = join(repository, name);
    if (await anyModel(folder, await modelNames(folder).catch(() => []))) return folder;
  }
  return null;
}

async function checkTarget(
  { repository, only }: Target,
  readers: ModelReaders,
): Promise<readonly CheckedModel[]> {
  const names = await modelNames(repository);
  if (names.length === 0) {
    const remedy = 'A repository has a folder per model, with config.pbtxt and version folders in it.';
    throw invalidInput(repository, `${repository} holds no model`, remedy);
  }
  const nested = only === null ? await nestedRepository(repository, names) : null;
  if (nested !== null) {
    const remedy = `Give that folder: triton-workbench check ${nested}`;
    throw invalidInput(repository, `The repository is ${nested}, not ${repository}`, remedy);
  }
  const checked = await checkModels(repository, only ?? names, readers);
  return names.flatMap((name) =>
    only?.includes(name) === false ? [] : checked.filter((model) => model.name === name),
  );
}

const counted = (count: number, what: string): string => `${count} ${what}`;

function textOf(models: readonly CheckedModel[]): string {
  const of = (verdict: CheckedModel['verdict']) => models.filter((model) => model.verdict === verdict).length;
  const [good, bad, open] = [of('loads'), of('does not load'), of('not checked')];
  const parts = [
    ...(good === 0 ? [] : [counted(good, good === 1 ? 'loads' : 'load')]),
    ...(bad === 0 ? [] : [counted(bad, bad === 1 ? 'does not load' : 'do not load')]),
    ...(open === 0 ? [] : [counted(open, 'not fully checked')]),
  ];
  return `${counted(models.length, models.length === 1 ? 'model' : 'models')}: ${parts.join(', ')}`;
}

/**
 * What Triton would refuse in repositories, without a server and without executing anything of them.
 * @param paths repositories, models, or their config.pbtxt. Throws input-invalid for one that is none.
 */
export async function checkRepositories(
  paths: readonly string[],
  readers: ModelReaders,
): Promise<RepositoryCheck> {
  const targets = new Map<string, Target>();
  for (const { repository, only } of await Promise.all(paths.map(targetOf))) {
    const before = targets.get(repository);
    const all =
      before === undefined ? only : before.only === null || only === null ? null : [...before.only, ...only];
    targets.set(repository, { repository, only: all });
  }
  const repositories: { path: string; models: readonly CheckedModel[] }[] = [];
  for (const target of targets.values()) {
    repositories.push({ path: target.repository, models: await checkTarget(target, readers) });
  }
  const text = textOf(repositories.flatMap(({ models }) => models));
  return { kind: 'triton-workbench-repository-check', version: 1, repositories, text };
}
