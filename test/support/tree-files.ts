import { zipBytes } from './zip-bytes';

/** A tree of three nodes: the first column decides. */
export const stump = {
  tree_param: { num_nodes: '3', num_feature: '3', size_leaf_vector: '1' },
  left_children: [1, -1, -1],
  right_children: [2, -1, -1],
  parents: [2_147_483_647, 0, 0],
  split_indices: [0, 0, 0],
  split_conditions: [0.5, -1, 1],
  split_type: [0, 0, 0],
  default_left: [1, 0, 0],
  categories: [] as number[],
  categories_nodes: [] as number[],
  categories_segments: [] as number[],
  categories_sizes: [] as number[],
};

interface XgboostChange {
  readonly objective?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly trees?: readonly unknown[];
  readonly info?: readonly number[];
  readonly booster?: unknown;
  readonly learner?: Readonly<Record<string, unknown>>;
}

/** A model of XGBoost with three columns, as `save_model` writes it. */
export function xgboostDocument(change: XgboostChange = {}): Record<string, unknown> {
  const trees = change.trees ?? [stump];
  const model = {
    gbtree_model_param: { num_trees: String(trees.length), num_parallel_tree: '1' },
    trees,
    tree_info: change.info ?? trees.map(() => 0),
  };
  return {
    learner: {
      attributes: {},
      feature_names: ['age', 'income', 'city'],
      feature_types: ['float', 'float', 'c'],
      gradient_booster: change.booster ?? { name: 'gbtree', model },
      learner_model_param: {
        base_score: '5E-1',
        num_class: '0',
        num_feature: '3',
        num_target: '1',
        ...change.parameters,
      },
      objective: { name: change.objective ?? 'binary:logistic' },
      ...change.learner,
    },
    version: [3, 4, 1],
  };
}

function sized(length: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.write('L');
  bytes.writeBigInt64BE(BigInt(length), 1);
  return bytes;
}

const textBytes = (text: string) => Buffer.concat([sized(Buffer.byteLength(text)), Buffer.from(text)]);

/** Lists of numbers have their type once, as XGBoost writes them. */
function listBytes(list: readonly unknown[]): Buffer {
  if (list.length === 0 || !list.every((value) => typeof value === 'number')) {
    return Buffer.concat([Buffer.from('['), ...list.map(ubjsonBytes), Buffer.from(']')]);
  }
  const isWhole = list.every((value) => Number.isInteger(value));
  const values = Buffer.alloc(4 * list.length);
  list.forEach((value, index) => {
    if (isWhole) values.writeInt32BE(value, 4 * index);
    else values.writeFloatBE(value, 4 * index);
  });
  return Buffer.concat([Buffer.from(`[$${isWhole ? 'l' : 'd'}#`), sized(list.length), values]);
}

/** Universal Binary JSON of a document. */
export function ubjsonBytes(value: unknown): Buffer {
  if (Array.isArray(value)) return listBytes(value);
  if (typeof value === 'string') return Buffer.concat([Buffer.from('S'), textBytes(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(5);
    bytes.write('l');
    bytes.writeInt32BE(value, 1);
    return bytes;
  }
  const members = Object.entries(value as Readonly<Record<string, unknown>>);
  const parts = members.flatMap(([name, inner]) => [textBytes(name), ubjsonBytes(inner)]);
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

const lightgbmHeader: Readonly<Record<string, string>> = {
  version: 'v4',
  num_class: '1',
  num_tree_per_iteration: '1',
  label_index: '0',
  max_feature_idx: '2',
  objective: 'binary sigmoid:1',
  feature_names: 'age income city',
  feature_infos: '[0:1] [0:1] 0:1:2:4',
};

const lightgbmTree: Readonly<Record<string, string>> = {
  num_leaves: '3',
  num_cat: '1',
  split_feature: '0 2',
  split_gain: '1 1',
  threshold: '0.50000000000000011 0',
  decision_type: '2 1',
  left_child: '1 -1',
  right_child: '-2 -3',
  leaf_value: '0.1 -0.2 0.3',
  cat_boundaries: '0 1',
  cat_threshold: '5',
  is_linear: '0',
  shrinkage: '0.1',
};

const lines = (block: Readonly<Record<string, string>>): string =>
  Object.entries(block)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** A text model of LightGBM; the third column is a category. */
export function lightgbmText(
  header: Readonly<Record<string, string>> = {},
  tree: Readonly<Record<string, string>> = {},
  more = '',
): string {
  const first = `tree\n${lines({ ...lightgbmHeader, ...header })}tree_sizes=1\n\n`;
  const block = `Tree=0\n${lines({ ...lightgbmTree, ...tree })}\n\n`;
  return `${first}${block}${more}end of trees\n\nparameters:\n[boosting: gbdt]\nend of parameters\n\npandas_categorical:null\n`;
}

/** Node of schema.json. */
type Node = Readonly<Record<string, unknown>>;

const node = (loader: string, type: string, more: Node = {}): Node => {
  const at = type.lastIndexOf('.');
  return { __class__: type.slice(at + 1), __module__: type.slice(0, at), __loader__: loader, ...more };
};

export const json = (value: unknown): Node =>
  node('JsonNode', 'builtins.str', { content: JSON.stringify(value), is_json: true });
export const list = (...content: readonly Node[]): Node => node('ListNode', 'builtins.list', { content });
export const tuple = (...content: readonly Node[]): Node => node('TupleNode', 'builtins.tuple', { content });
export const array = (file: string): Node => node('NdArrayNode', 'numpy.ndarray', { type: 'numpy', file });
export const objects = (...values: readonly unknown[]): Node =>
  node('NdArrayNode', 'numpy.ndarray', {
    type: 'json',
    content: values.map(json),
    shape: tuple(json(values.length)),
  });
export const estimator = (type: string, attributes: Node): Node =>
  node('ObjectNode', type, {
    content: node('DictNode', 'builtins.dict', { content: attributes, key_types: list() }),
  });
export const pipeline = (...steps: readonly (readonly [string, Node])[]): Node =>
  estimator('sklearn.pipeline.Pipeline', {
    steps: list(...steps.map(([name, step]) => tuple(json(name), step))),
  });
export const strange = (loader: string, type: string): Node => node(loader, type, { content: json(1) });

/** A tree of `outputs` values, made with the classes in 2.npy. */
export const madeTree = (outputs: unknown): Node =>
  node('TreeNode', 'sklearn.tree._tree.Tree', {
    __reduce__: { args: tuple(json(2), array('2.npy'), json(outputs)) },
    content: node('DictNode', 'builtins.dict', { content: {}, key_types: list() }),
  });

/** An array of NumPy; `shape` may lie. */
export function npyBytes(descr: string, shape: readonly number[], values: Buffer): string {
  const text = `{'descr': ${descr}, 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  const padded = `${text.padEnd(117)}\n`;
  head.writeUInt16LE(padded.length, 8);
  return Buffer.concat([head, Buffer.from(padded, 'latin1'), values]).toString('latin1');
}

export const wholeNumbers = (...values: readonly number[]): string => {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, index) => {
    bytes.writeBigInt64LE(BigInt(value), 8 * index);
  });
  return npyBytes("'<i8'", [values.length], bytes);
};

/** Two scaled columns and a classifier of three classes. */
export const scaledClassifier = pipeline(
  [
    'scale',
    estimator('sklearn.preprocessing._data.StandardScaler', {
      n_features_in_: json(2),
      feature_names_in_: objects('width', 'height'),
    }),
  ],
  [
    'classify',
    estimator('sklearn.linear_model._logistic.LogisticRegression', {
      n_features_in_: json(2),
      classes_: array('1.npy'),
    }),
  ],
);

/** An archive of skops. */
export function skopsBytes(
  root: Node = scaledClassifier,
  files: Readonly<Record<string, string>> = { '1.npy': wholeNumbers(0, 1, 2) },
): Buffer {
  return zipBytes({
    ...files,
    'schema.json': JSON.stringify({ ...root, protocol: 2, _skops_version: '0.16.0' }),
  });
}
