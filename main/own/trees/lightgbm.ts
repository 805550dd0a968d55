import type { TreeTask } from '../../contract/tree-model';
import { shortText } from '../../platform/lines';
import { checkCounts, checkShape, columnNames, featureCount, wholeNumber } from './check-trees';
import type { TreesFacts } from './facts';
import { Refused } from './refusals';

/** By the first word of `objective=`: those of which the exported graph has the transformation. */
const objectives: Readonly<Record<string, TreeTask>> = {
  binary: 'classification',
  multiclass: 'classification',
  multiclassova: 'classification',
  regression: 'regression',
  regression_l1: 'regression',
  huber: 'regression',
  fair: 'regression',
  quantile: 'regression',
  mape: 'regression',
  poisson: 'regression',
  gamma: 'regression',
  tweedie: 'regression',
  cross_entropy: 'regression',
  cross_entropy_lambda: 'regression',
  lambdarank: 'ranking',
  rank_xendcg: 'ranking',
};

export const lightgbmObjectives: readonly string[] = Object.keys(objectives);

const mostLeaves = 10_000_000;
const mostClasses = 100_000;

type Block = ReadonlyMap<string, string>;

/** Lines `name=value`, to the next empty one. */
function blockAt(text: string, from: number): { readonly block: Block; readonly end: number } {
  const block = new Map<string, string>();
  let at = from;
  while (at < text.length) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    const line = text.slice(at, end).trimEnd();
    at = end + 1;
    if (line === '') break;
    const equals = line.indexOf('=');
    block.set(equals < 0 ? line : line.slice(0, equals), equals < 0 ? '' : line.slice(equals + 1));
  }
  return { block, end: at };
}

/** Whole numbers of a line. Throws an Error. */
function numbersOf(block: Block, name: string, count: number | null, tree: number): Int32Array {
  const text = block.get(name)?.trim() ?? '';
  const words = text === '' ? [] : text.split(' ');
  if (count !== null && words.length !== count) {
    throw new Error(`tree ${tree} has ${words.length} of ${count} entries of ${name}`);
  }
  const numbers = new Int32Array(words.length);
  words.forEach((word, index) => {
    const number = Number(word);
    if (!Number.isInteger(number))
      throw new Error(`tree ${tree} has an entry of ${name} that is not a number`);
    numbers[index] = number;
  });
  return numbers;
}

interface Nodes {
  readonly split: Int32Array;
  readonly decision: Int32Array;
  readonly inner: number;
}

/** Sets of categories are 32-bit words between two boundaries. */
function checkCategories(block: Block, { split, decision, inner }: Nodes, tree: number): readonly number[] {
  const columns: number[] = [];
  const count = wholeNumber(block.get('num_cat') ?? '0', 0, mostLeaves, `num_cat of tree ${tree}`);
  if (count === 0 && decision.every((type) => type % 2 === 0)) return columns;
  const boundaries = numbersOf(block, 'cat_boundaries', count + 1, tree);
  const words = (block.get('cat_threshold') ?? '').trim().split(' ').length;
  boundaries.forEach((boundary, index) => {
    wholeNumber(boundary, boundaries[index - 1] ?? 0, words, `a boundary of tree ${tree}`);
  });
  const thresholds = (block.get('threshold') ?? '').trim().split(' ');
  for (let node = 0; node < inner; node += 1) {
    if (((decision[node] ?? 0) & 1) === 0) continue;
    wholeNumber(Number(thresholds[node]), 0, count - 1, `a set of categories of tree ${tree}`);
    columns.push(split[node] ?? 0);
  }
  return columns;
}

function countWords(block: Block, name: string, count: number, tree: number): void {
  const text = block.get(name)?.trim() ?? '';
  let words = text === '' ? 0 : 1;
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) words += 1;
  if (words !== count) throw new Error(`tree ${tree} has ${words} of ${count} entries of ${name}`);
}

/** Nodes of a tree, and its columns with categories. Throws an Error where it is not one. */
function readTree(block: Block, features: number, tree: number) {
  const leaves = wholeNumber(block.get('num_leaves'), 1, mostLeaves, `the number of leaves of tree ${tree}`);
  if (block.get('is_linear') === '1') {
    throw new Refused(
      'Its leaves are linear functions (linear_tree), which ONNX does not have',
      'Train it without linear_tree.',
    );
  }
  countWords(block, 'leaf_value', leaves, tree);
  const inner = leaves - 1;
  if (inner === 0) return { nodes: 1, columns: [] };
  const list = (name: string) => numbersOf(block, name, inner, tree);
  const [left, right] = [list('left_child'), list('right_child')];
  const split = list('split_feature');
  const decision = list('decision_type');
  countWords(block, 'threshold', inner, tree);
  split.forEach((column) => {
    wholeNumber(column, 0, features - 1, `a column of tree ${tree}`);
  });
  // A leaf is the complement of its number.
  const place = (child: number) => (child < 0 ? inner + ~child : child);
  checkShape(
    inner + leaves,
    (node) => (node >= inner ? null : [place(left[node] ?? 0), place(right[node] ?? 0)]),
    tree,
  );
  return { nodes: inner + leaves, columns: checkCategories(block, { split, decision, inner }, tree) };
}

function taskOf(header: Block): readonly [string, TreeTask] {
  const objective = header.get('objective') ?? '';
  // A function of the person's own: what it gives is the sum of the leaves.
  if (objective === '' || objective === 'custom') return ['an objective of its own', 'regression'];
  const [name = ''] = objective.split(' ');
  const task = Object.hasOwn(objectives, name) ? objectives[name] : undefined;
  if (task !== undefined) return [name, task];
  throw new Refused(
    `Its objective ${JSON.stringify(shortText(name))} is not exported`,
    `Supported objectives: ${lightgbmObjectives.join(', ')}.`,
  );
}

/** `0:3:7` of a column with categories; `[0:1]` of numbers, and `none`. */
function categoryCount(info: string | undefined): number {
  const values = /^-?\d+(:-?\d+)*$/.test(info ?? '') ? (info ?? '').split(':').map(Number) : [];
  return values.reduce((largest, value) => Math.max(largest, value + 1), 1);
}

/** Number of trees, nodes, and columns with categories. Throws an Error. */
function readTrees(text: string, from: number, features: number) {
  const categorical = new Set<number>();
  let [trees, nodes, at] = [0, 0, from];
  while (at < text.length) {
    if (text[at] === '\n' || text[at] === '\r') {
      at += 1;
      continue;
    }
    const { block, end } = blockAt(text, at);
    if (block.has('end of trees')) return { trees, nodes, categorical };
    if (block.get('Tree') !== String(trees)) throw new Error(`tree ${trees} is missing`);
    const tree = readTree(block, features, trees);
    tree.columns.forEach((column) => categorical.add(column));
    trees += 1;
    nodes += tree.nodes;
    checkCounts({ trees, nodes });
    at = end;
  }
  throw new Error('it is cut off: its end of trees is missing');
}

const wordsOf = (header: Block, name: string): readonly string[] => {
  const text = header.get(name)?.trim() ?? '';
  return text === '' ? [] : text.split(' ');
};

/** Of a classifier, or of what regards itself as having some; throws an Error for numbers that do not fit. */
function classCount(
  header: Block,
  { objective, task, trees, perRound }: { objective: string; task: string; trees: number; perRound: number },
): number {
  const classes =
    objective === 'binary' ? 2 : wholeNumber(header.get('num_class'), 1, mostClasses, 'num_class');
  if (task === 'classification' && classes < 2) throw new Error('it is a classifier of one class');
  if (objective.startsWith('multiclass') && classes !== perRound) {
    throw new Error('its classes do not fit its trees');
  }
  if (trees % perRound !== 0) throw new Error('its last round is not complete');
  return classes;
}

/** A text model of LightGBM. Throws an Error for what is not one, and Refused for one that is not exported. */
export function lightgbmFacts(text: string): TreesFacts {
  const { block: header, end } = blockAt(text, 0);
  const version = header.get('version');
  if (!header.has('tree') || version === undefined || !/^v[2-4]$/.test(version)) {
    throw new Error('its first lines are not those of a model (tree, version=v4)');
  }
  const features = featureCount(Number(header.get('max_feature_idx') ?? NaN) + 1);
  const [objective, task] = taskOf(header);
  const { trees, nodes, categorical } = readTrees(text, end, features);
  if (trees === 0 || nodes < 1) throw new Error('it has no trees');
  const perRound = wholeNumber(
    header.get('num_tree_per_iteration'),
    1,
    mostClasses,
    'num_tree_per_iteration',
  );
  const infos = wordsOf(header, 'feature_infos');
  const classes = classCount(header, { objective, task, trees, perRound });
  return {
    library: 'lightgbm',
    format: 'text',
    version,
    estimator: `${header.has('average_output') ? 'random forest' : 'gradient boosting'} with ${objective}`,
    ...{ task, features, trees },
    columns: columnNames(wordsOf(header, 'feature_names'), features),
    categories: Object.fromEntries(
      [...categorical].sort((a, b) => a - b).map((column) => [String(column), categoryCount(infos[column])]),
    ),
    classes: task === 'classification' ? classes : 0,
    classNames: [],
    hasProbabilities: task === 'classification',
    values: task === 'classification' ? 0 : perRound,
    rounds: trees / perRound,
    roundsInUse: null,
  };
}
