import { fileLimits } from '../../contract/reader-limits';
import type { TreeTask } from '../../contract/tree-model';
import { isTree, type Tree } from '../../contract/trees';
import { someOf } from '../../platform/lines';
import { parseBoundedJson } from '../../platform/parse-json';
import { type FileWindow, readZipDirectory, readZipEntry, type ZipEntry } from '../../platform/zip-directory';
import { featureCount, wholeNumber } from './check-trees';
import { classifiers, foreignRemedy, regressors, transformers } from './estimators';
import type { TreesFacts } from './facts';
import { checkNpy, npyTexts } from './npy';
import { Refused } from './refusals';
import { SkopsSchema } from './skops-schema';

const most = fileLimits.trees;
const schemaFile = 'schema.json';

/** Entries by name, none beyond the limits. Throws an Error. */
function entriesOf(file: FileWindow): ReadonlyMap<string, ZipEntry> {
  const entries = readZipDirectory(file);
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (bytes > most.unpackedBytes) {
    throw new Error(`it unpacks to ${bytes} bytes, at most ${most.unpackedBytes} are read`);
  }
  const found = new Map(entries.map((entry) => [entry.name, entry]));
  if (found.size !== entries.length) throw new Error('it has two entries of one name');
  return found;
}

/** Arrays of the file, each checked against its own size. */
class Arrays {
  constructor(
    private readonly file: FileWindow,
    private readonly entries: ReadonlyMap<string, ZipEntry>,
  ) {}

  /** Throws an Error. */
  bytes(name: string): Buffer {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new Error(`its ${name} is missing`);
    return readZipEntry(this.file, entry, most.unpackedBytes);
  }

  /** Throws an Error where one of them would take another size in memory. */
  check(names: readonly string[]): void {
    for (const name of names) {
      if (/\.npz$/.test(name)) throw new Error('it holds a sparse matrix');
      try {
        checkNpy(this.bytes(name));
      } catch (error) {
        throw new Error(`its array ${name} is not read: ${error instanceof Error ? error.message : ''}`, {
          cause: error,
        });
      }
    }
  }

  shape(node: Tree | null): readonly number[] | null {
    const name = node?.['file'];
    return typeof name === 'string' ? checkNpy(this.bytes(name)).shape : null;
  }

  texts(node: Tree | null): readonly string[] | null {
    const name = node?.['file'];
    return typeof name === 'string' ? npyTexts(this.bytes(name)) : null;
  }
}

/** A tree is made before its nodes are: with an array that is too short it would read beyond its end. Throws an Error. */
function checkTrees(schema: SkopsSchema, arrays: Arrays): void {
  for (const tree of schema.trees) {
    const [columns, classes, outputs] = schema.treeArguments(tree);
    wholeNumber(schema.plain(columns ?? null), 0, most.features, 'the number of columns of a tree');
    const count = wholeNumber(schema.plain(outputs ?? null), 1, most.features, 'the outputs of a tree');
    const shape = arrays.shape(classes ?? null);
    if (shape?.length !== 1 || shape[0] !== count) {
      throw new Error(`a tree has ${count} outputs and another number of their classes`);
    }
  }
}

const classOf = (node: Tree): string => String(node['__class__']);

/** The first of the estimators that has the attribute. */
function firstWith(schema: SkopsSchema, steps: readonly Tree[], name: string): Tree | null {
  for (const step of steps) {
    const found = schema.attribute(step, name);
    if (found !== null) return found;
  }
  return null;
}

/** Columns that a ColumnTransformer passes on are a FunctionTransformer without a function. */
const isPassedOn = (schema: SkopsSchema, part: Tree): boolean =>
  classOf(part) === 'FunctionTransformer' && schema.plain(schema.attribute(part, 'func')) === null;

function requireKnown(steps: readonly Tree[], parts: readonly Tree[]): TreeTask {
  const last = steps.at(-1);
  const name = last === undefined ? '' : classOf(last);
  const unknown = [...steps.slice(0, -1), ...parts].map(classOf).filter((one) => !transformers.includes(one));
  if (unknown.length > 0) {
    throw new Refused(
      `Its step ${someOf([...new Set(unknown)])} is not exported`,
      `Supported steps: ${transformers.join(', ')}. Convert others where they are loaded: skl2onnx.to_onnx(model, X[:1], options={"zipmap": False}).`,
    );
  }
  if (classifiers.includes(name)) return 'classification';
  if (regressors.includes(name)) return 'regression';
  throw new Refused(
    `Its estimator ${name} is not exported`,
    `Supported estimators: ${[...classifiers, ...regressors].join(', ')}. Convert others where they are loaded: skl2onnx.to_onnx(model, X[:1], options={"zipmap": False}).`,
  );
}

/** Its own encoder of categories is not in the graph that the converter writes. */
function refuseNative(schema: SkopsSchema, last: Tree): void {
  const categorical = schema.attribute(last, 'is_categorical_');
  if (categorical === null || schema.plain(categorical) === null) return;
  throw new Refused(
    `${classOf(last)} splits by categories of its own (categorical_features), which the converter leaves out`,
    'Train it on columns that a OneHotEncoder before it makes, or train XGBoost or LightGBM, whose categories are exported.',
  );
}

/** Values per row of a regression: as many as targets. */
function valuesOf(schema: SkopsSchema, arrays: Arrays, last: Tree): number {
  const outputs = schema.plain(schema.attribute(last, 'n_outputs_'));
  if (outputs !== undefined) return wholeNumber(outputs, 1, most.features, 'the number of its outputs');
  const coefficients = arrays.shape(schema.attribute(last, 'coef_'));
  return coefficients !== null && coefficients.length === 2 ? Math.max(1, coefficients[0] ?? 1) : 1;
}

function classesOf(schema: SkopsSchema, arrays: Arrays, last: Tree) {
  const node = schema.attribute(last, 'classes_');
  const names = schema.texts(node) ?? arrays.texts(node) ?? [];
  const count = names.length > 0 ? names.length : (arrays.shape(node)?.[0] ?? 0);
  if (node === null || count < 2) {
    throw new Refused(
      `${classOf(last)} does not have a single list of classes`,
      'Train a classifier of two classes or more for one target.',
    );
  }
  return { count, names };
}

function schemaOf(file: FileWindow, entries: ReadonlyMap<string, ZipEntry>): SkopsSchema {
  const entry = entries.get(schemaFile);
  if (entry === undefined) throw new Error('it has no schema.json');
  const root = parseBoundedJson(readZipEntry(file, entry, most.schemaBytes).toString('utf8'));
  if (!isTree(root)) throw new Error('its schema.json is not an object');
  return new SkopsSchema(root);
}

/** An archive of skops. Throws an Error for what is not one, and Refused for one that is not exported. */
export function skopsFacts(file: FileWindow): TreesFacts {
  const entries = entriesOf(file);
  const schema = schemaOf(file, entries);
  if (schema.strange.length > 0) {
    throw new Refused(
      `It names types that are not loaded: ${someOf(schema.strange)}`,
      foreignRemedy(schema.strange),
    );
  }
  const steps = schema.steps(schema.root);
  const parts = steps.flatMap((step) => schema.parts(step)).filter((part) => !isPassedOn(schema, part));
  const task = requireKnown(steps, parts);
  const last = steps.at(-1) ?? schema.root;
  refuseNative(schema, last);
  const arrays = new Arrays(file, entries);
  arrays.check(schema.files);
  checkTrees(schema, arrays);
  const features = featureCount(schema.plain(firstWith(schema, steps, 'n_features_in_')));
  const columnNode = firstWith(schema, steps, 'feature_names_in_');
  const columns = schema.texts(columnNode) ?? arrays.texts(columnNode) ?? [];
  if (columns.length > 0 && columns.length !== features) {
    throw new Error(`it has ${columns.length} names for ${features} columns`);
  }
  const classes = task === 'classification' ? classesOf(schema, arrays, last) : { count: 0, names: [] };
  const version = schema.root['_skops_version'];
  const trees = schema.plain(schema.attribute(last, 'n_estimators'));
  return {
    library: 'sklearn',
    format: 'skops',
    version: typeof version === 'string' && /^[\w.+-]{1,40}$/.test(version) ? version : null,
    estimator: steps.map(classOf).join(', '),
    ...{ task, features, columns },
    categories: {},
    classes: classes.count,
    classNames: classes.names,
    hasProbabilities: task === 'classification',
    values: task === 'classification' ? 0 : valuesOf(schema, arrays, last),
    trees: typeof trees === 'number' ? trees : null,
    rounds: null,
    roundsInUse: null,
  };
}
