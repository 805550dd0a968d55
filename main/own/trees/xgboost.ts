import type { TreeTask } from '../../contract/tree-model';
import { getAt, isTree, type Tree } from '../../contract/trees';
import { shortText } from '../../platform/lines';
import { checkCounts, checkShape, columnNames, featureCount, type Numbers, wholeNumber } from './check-trees';
import type { TreesFacts } from './facts';
import { Refused } from './refusals';
import { SkippedNumbers } from './ubjson';

/** By `learner.objective.name`: those of which the exported graph has the transformation. */
const objectives: Readonly<Record<string, TreeTask>> = {
  'binary:logistic': 'classification',
  'multi:softprob': 'classification',
  'multi:softmax': 'classification',
  'binary:logitraw': 'regression',
  'reg:squarederror': 'regression',
  'reg:linear': 'regression',
  'reg:squaredlogerror': 'regression',
  'reg:absoluteerror': 'regression',
  'reg:pseudohubererror': 'regression',
  'reg:quantileerror': 'regression',
  'reg:logistic': 'regression',
  'reg:gamma': 'regression',
  'reg:tweedie': 'regression',
  'count:poisson': 'regression',
  'survival:cox': 'regression',
  'survival:aft': 'regression',
  'rank:pairwise': 'ranking',
  'rank:ndcg': 'ranking',
  'rank:map': 'ranking',
};

export const xgboostObjectives: readonly string[] = Object.keys(objectives);

const mostClasses = 100_000;
const mostCategories = 16_777_216;

const treeOf = (value: unknown, what: string): Tree => {
  if (!isTree(value)) throw new Error(`it has no ${what}`);
  return value;
};

/** A list of the wanted length; of floats only that is known. */
function listOf(tree: Tree, name: string, length: number | null, number: number): Numbers {
  const value = tree[name];
  const isList = Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof SkippedNumbers;
  if (!isList) throw new Error(`tree ${number} has no ${name}`);
  const list = value as unknown as Numbers;
  if (length !== null && list.length !== length) {
    throw new Error(`tree ${number} has ${list.length} of ${length} entries of ${name}`);
  }
  return list;
}

const at = (list: Numbers, index: number): number => Number(list[index] ?? -1);

/** Largest category by column of the splits by category. Throws an Error. */
function readCategories(
  tree: Tree,
  split: Numbers,
  nodes: number,
  number: number,
  largest: Map<number, number>,
): void {
  const list = (name: string, length: number | null) => listOf(tree, name, length, number);
  const categories = list('categories', null);
  const of = list('categories_nodes', null);
  const [segments, sizes] = ['categories_segments', 'categories_sizes'].map((name) => list(name, of.length));
  if (segments === undefined || sizes === undefined) return;
  for (let index = 0; index < of.length; index += 1) {
    const node = wholeNumber(at(of, index), 0, nodes - 1, `a node of tree ${number}`);
    const from = wholeNumber(at(segments, index), 0, categories.length, `a segment of tree ${number}`);
    const count = wholeNumber(at(sizes, index), 0, categories.length - from, `a size of tree ${number}`);
    const column = at(split, node);
    for (let place = from; place < from + count; place += 1) {
      const category = wholeNumber(at(categories, place), 0, mostCategories, `a category of tree ${number}`);
      largest.set(column, Math.max(largest.get(column) ?? 0, category));
    }
  }
}

/** Number of its nodes. Throws an Error where the tree is not one. */
function readTree(value: unknown, features: number, number: number, largest: Map<number, number>): number {
  const tree = treeOf(value, `tree ${number}`);
  const nodes = wholeNumber(
    getAt(tree, ['tree_param', 'num_nodes']),
    1,
    100_000_000,
    `the number of nodes of tree ${number}`,
  );
  const vector = getAt(tree, ['tree_param', 'size_leaf_vector']);
  if (vector !== undefined && wholeNumber(vector, 0, mostClasses, 'size_leaf_vector') > 1) {
    throw new Refused(
      'Its trees have several values per leaf (multi_strategy="multi_output_tree"), which ONNX does not have',
      'Train it with multi_strategy="one_output_per_tree", the default.',
    );
  }
  const list = (name: string) => listOf(tree, name, nodes, number);
  const [left, right, split] = [list('left_children'), list('right_children'), list('split_indices')];
  list('split_conditions');
  list('default_left');
  checkShape(
    nodes,
    (node) => {
      if (at(left, node) === -1) return null;
      wholeNumber(at(split, node), 0, features - 1, `a column of tree ${number}`);
      return [at(left, node), at(right, node)];
    },
    number,
  );
  if (tree['categories_nodes'] !== undefined) readCategories(tree, split, nodes, number, largest);
  return nodes;
}

interface Booster {
  readonly name: string;
  readonly model: Tree;
}

function boosterOf(learner: Tree): Booster {
  const booster = treeOf(learner['gradient_booster'], 'gradient_booster');
  const name = booster['name'];
  if (name === 'gblinear') {
    throw new Refused(
      'It is a linear model of XGBoost (gblinear), which has no trees',
      'Train it with the booster gbtree or dart, or as LinearRegression or LogisticRegression of scikit-learn.',
    );
  }
  if (name !== 'gbtree' && name !== 'dart') throw new Error('its booster is neither gbtree nor dart');
  const inner = name === 'dart' ? treeOf(booster['gbtree'], 'gbtree of its dart') : booster;
  return { name, model: treeOf(inner['model'], 'model of its booster') };
}

/** Early stopping of the scikit-learn interface, whose `predict` uses the best rounds. */
function roundsInUse(learner: Tree, rounds: number): number | null {
  const attributes = learner['attributes'];
  if (!isTree(attributes) || attributes['scikit_learn'] === undefined) return null;
  const best = attributes['best_iteration'];
  if (best === undefined) return null;
  const used = wholeNumber(best, 0, rounds, 'best_iteration') + 1;
  return used < rounds ? used : null;
}

interface Sizes {
  readonly classes: number;
  readonly values: number;
}

function sizesOf(objective: string, task: TreeTask, parameters: Tree): Sizes {
  const number = (name: string) => wholeNumber(parameters[name] ?? 0, 0, mostClasses, name);
  const targets = Math.max(1, number('num_target'));
  if (task !== 'classification') return { classes: 0, values: Math.max(targets, number('num_class')) };
  if (targets > 1) {
    throw new Refused(
      `It has ${targets} targets (${objective} with several targets)`,
      'Train a model per target.',
    );
  }
  const classes = objective === 'binary:logistic' ? 2 : number('num_class');
  if (classes < 2) throw new Error('it is a classifier of fewer than two classes');
  return { classes, values: 0 };
}

function taskOf(objective: unknown): readonly [string, TreeTask] {
  if (typeof objective === 'string') {
    const task = Object.hasOwn(objectives, objective) ? objectives[objective] : undefined;
    if (task !== undefined) return [objective, task];
  }
  throw new Refused(
    `Its objective ${JSON.stringify(shortText(String(objective)))} is not exported`,
    `Supported objectives: ${xgboostObjectives.join(', ')}.`,
  );
}

/** Categories of the columns that are categories. Throws Refused where the file does not mark its columns. */
function categoriesOf(learner: Tree, largest: ReadonlyMap<number, number>): Readonly<Record<string, number>> {
  const types: readonly unknown[] = Array.isArray(learner['feature_types']) ? learner['feature_types'] : [];
  const marked = types.flatMap((type, column) => (type === 'c' ? [column] : []));
  return Object.fromEntries(
    [...new Set([...marked, ...largest.keys()])]
      .sort((a, b) => a - b)
      .map((column) => [String(column), (largest.get(column) ?? 0) + 1]),
  );
}

function versionOf(document: Tree): string | null {
  const version = document['version'];
  const parts: readonly unknown[] =
    Array.isArray(version) || ArrayBuffer.isView(version) ? Array.from(version as ArrayLike<unknown>) : [];
  const isVersion = parts.length === 3 && parts.every((part) => Number.isInteger(part));
  return isVersion ? parts.join('.') : null;
}

/** A parsed file of XGBoost. Throws an Error for what is not one, and Refused for one that is not exported. */
export function xgboostFacts(document: unknown, format: string): TreesFacts {
  const root = treeOf(document, 'object');
  const learner = treeOf(root['learner'], 'learner');
  const parameters = treeOf(learner['learner_model_param'], 'learner_model_param');
  const [objective, task] = taskOf(getAt(learner, ['objective', 'name']));
  const { name, model } = boosterOf(learner);
  const features = featureCount(parameters['num_feature']);
  const { classes, values } = sizesOf(objective, task, parameters);
  const trees: readonly unknown[] = Array.isArray(model['trees']) ? model['trees'] : [];
  if (trees.length === 0) throw new Error('it has no trees');
  checkCounts({ trees: trees.length, nodes: 0 });
  const largest = new Map<number, number>();
  const nodes = trees.reduce(
    (sum: number, tree, number) => sum + readTree(tree, features, number, largest),
    0,
  );
  checkCounts({ trees: trees.length, nodes });
  const groups = Math.max(1, objective === 'binary:logistic' ? 1 : classes, values);
  const info = model['tree_info'];
  const groupOf = (Array.isArray(info) || ArrayBuffer.isView(info) ? info : []) as ArrayLike<number>;
  if (groupOf.length !== trees.length) throw new Error('its tree_info does not fit its trees');
  for (let index = 0; index < groupOf.length; index += 1) {
    wholeNumber(groupOf[index], 0, groups - 1, `the class of tree ${index}`);
  }
  const parallel = wholeNumber(
    getAt(model, ['gbtree_model_param', 'num_parallel_tree']) ?? 1,
    1,
    1_000_000,
    'num_parallel_tree',
  );
  const rounds = Math.ceil(trees.length / (groups * parallel));
  return {
    library: 'xgboost',
    format,
    version: versionOf(root),
    estimator: `${name} with ${objective}`,
    ...{ task, features, classes, values, rounds },
    columns: columnNames(learner['feature_names'], features),
    categories: categoriesOf(learner, largest),
    classNames: [],
    hasProbabilities: task === 'classification',
    trees: trees.length,
    roundsInUse: roundsInUse(learner, rounds),
  };
}
