import { isTree } from '../../contract/trees';
import { someOf } from '../../platform/lines';
import type { AnalyzerFile, Path } from './analyzer-file';
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

/**
 * The named one, else the only one, else the one that is called as the run's model. Throws input-invalid where none is.
 * @param wanted null: not named
 */
export function chooseModel(file: AnalyzerFile, modelName: string, wanted: string | null): ChosenModel {
  if (!file.has([option])) throw file.refused([option], 'The file names no model to profile');
  const models = listed(file);
  const called = wanted ?? modelName;
  const [only, other] = models;
  const chosen =
    models.find(({ name }) => name === called) ?? (wanted === null && other === undefined ? only : undefined);
  if (chosen === undefined) {
    const names = someOf(models.map(({ name }) => name));
    throw file.refused(
      [option],
      `The file has the models ${names}; none is called "${called}"`,
      'Name one of them with --analyzer-model.',
    );
  }
  file.take(chosen.at, `${chosen.name === modelName ? '' : `${chosen.name} is `}the model of the run`);
  for (const one of models) {
    if (one !== chosen) file.leave(one.at, `${one.name}: a search is of one model`);
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
