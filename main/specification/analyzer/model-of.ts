import { invalidInput } from '../../contract/errors';
import type { AnalyzerRun } from '../../contract/study/analyzer-config';
import { isTree } from '../../contract/trees';
import { shortValue, someOf } from '../../platform/lines';
import { type AnalyzerFile, openAnalyzerFile, type Path } from './analyzer-file';
import { namesAt } from './values';

/** The model that is searched, and where its own options are; null where it has none. */
export interface ChosenModel {
  readonly name: string;
  readonly path: Path | null;
}

interface ListedModel extends ChosenModel {
  /** What is said of it. */
  readonly at: Path;
}

const option = 'profile_models';

function entriesOf(file: AnalyzerFile, path: Path): readonly ListedModel[] {
  return file.keysAt(path).map((name) => ({ name, path: [...path, name], at: [...path, name] }));
}

/** Names, a list of names and mappings, or a mapping. */
function listed(file: AnalyzerFile): readonly ListedModel[] {
  const value = file.at([option]);
  if (isTree(value)) return entriesOf(file, [option]);
  if (!Array.isArray(value)) {
    return namesAt(file, [option]).map((name) => ({ name, path: null, at: [option] }));
  }
  return value.flatMap((item, at) =>
    isTree(item)
      ? entriesOf(file, [option, at])
      : [{ name: String(item), path: null, at: [option, at] satisfies Path }],
  );
}

interface Choosing {
  readonly models: readonly ListedModel[];
  readonly chosen: ListedModel;
}

/** Throws input-invalid where none is. @param called null: nothing says which, and there must be one only */
function choose(file: AnalyzerFile, called: string | null, wanted: string | null): Choosing {
  if (!file.has([option])) throw file.refused([option], 'The file names no model to profile');
  const models = listed(file);
  const [only, other] = models;
  const chosen =
    models.find(({ name }) => name === called) ?? (wanted === null && other === undefined ? only : undefined);
  if (chosen !== undefined) return { models, chosen };
  const names = someOf(models.map(({ name }) => name));
  const none = called === null ? '' : `; none is called "${called}"`;
  throw file.refused(
    [option],
    `The file has the models ${names}${none}`,
    'Name one of them with --analyzer-model.',
  );
}

/** Where the model lies that a file of Model Analyzer is about. */
export interface AnalyzerModel {
  readonly model: string;
  /** As the file has it. */
  readonly repository: string;
}

/** Throws input-invalid, with the line where there is one. @param wanted null: the only one */
export function repositoryModel({
  text,
  fileName,
  model: wanted,
}: {
  readonly text: string;
  readonly fileName: string;
  readonly model: string | null;
}): AnalyzerModel {
  const file = openAnalyzerFile(text, fileName);
  const path: Path = ['model_repository'];
  const repository = file.at(path);
  if (repository === undefined || repository === null) {
    throw invalidInput(
      fileName,
      'The file names no model repository',
      'Add model_repository, or search from a run: search RUN --from-analyzer FILE.',
    );
  }
  if (typeof repository !== 'string' || repository.trim() === '') {
    throw file.refused(path, `${shortValue(repository)} is not a folder`);
  }
  const { chosen } = choose(file, wanted, wanted);
  if (/^[^/\\\0]+$/.test(chosen.name) && !/^\.+$/.test(chosen.name)) {
    return { model: chosen.name, repository };
  }
  throw file.refused(chosen.at, `${shortValue(chosen.name)} is not the name of a model`);
}

/**
 * The named one, else the only one, else the one that is called as the run's model. Throws input-invalid where none is.
 * @param wanted null: not named
 */
export function chooseModel(
  file: AnalyzerFile,
  { modelName, isOfRepository = false }: Pick<AnalyzerRun, 'modelName' | 'isOfRepository'>,
  wanted: string | null,
): ChosenModel {
  const { models, chosen } = choose(file, wanted ?? modelName, wanted);
  const what = isOfRepository ? 'read from the model repository' : 'the model of the run';
  file.take(chosen.at, `${chosen.name === modelName || isOfRepository ? '' : `${chosen.name} is `}${what}`);
  const repository: Path = ['model_repository'];
  if (isOfRepository && file.has(repository)) file.take(repository, 'the model is read from there');
  for (const one of models) {
    if (one !== chosen)
      file.leave(one.at, `${one.name}: a file with the rate of each model searches several together`);
  }
  return { name: chosen.name, path: chosen.path };
}

/**
 * Where an option that a model may have for itself is; null: nowhere. What the model's own replaces is named.
 */
export function ownOr(file: AnalyzerFile, { path }: ChosenModel, name: string): Path | null {
  const own = path === null ? null : [...path, name];
  if (own === null || !file.has(own)) return file.has([name]) ? [name] : null;
  if (file.has([name])) file.leave([name], 'the model has its own');
  return own;
}
