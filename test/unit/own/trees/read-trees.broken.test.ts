import { existsSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { openModel } from '../../../../main/own/open-model';
import { type Broken, refusesEach, useModelBench } from '../../../support/model-bench';
import {
  array,
  estimator,
  json,
  lightgbmText,
  list,
  madeTree,
  npyBytes,
  pipeline,
  scaledClassifier,
  skopsBytes,
  strange,
  stump,
  ubjsonBytes,
  wholeNumbers,
  xgboostDocument,
} from '../../../support/tree-files';
import { zipBytes } from '../../../support/zip-bytes';

type Row = readonly [what: string, name: string, content: string | Buffer, ...says: (string | RegExp)[]];

const xgboost = (change: Parameters<typeof xgboostDocument>[0]): string =>
  JSON.stringify(xgboostDocument(change));
const withTree = (change: Readonly<Record<string, unknown>>) => xgboost({ trees: [{ ...stump, ...change }] });
const forest = (attributes: Parameters<typeof estimator>[1]) =>
  estimator('sklearn.ensemble._forest.RandomForestClassifier', { n_features_in_: json(2), ...attributes });
const nested = `{"learner":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;

const files: readonly Row[] = [
  [
    'a linear booster',
    'm.json',
    xgboost({ booster: { name: 'gblinear', model: {} } }),
    'gblinear',
    'no trees',
  ],
  ['another objective', 'm.json', xgboost({ objective: 'binary:hinge' }), '"binary:hinge"', 'multi:softprob'],
  [
    'leaves of several values',
    'm.json',
    withTree({ tree_param: { num_nodes: '3', size_leaf_vector: '2' } }),
    'several values per leaf',
    'one_output_per_tree',
  ],
  ['a node that is not there', 'm.json', withTree({ left_children: [9, -1, -1] }), 'does not have'],
  [
    'a circle of nodes',
    'm.json',
    withTree({ left_children: [1, 0, -1], right_children: [2, 2, -1] }),
    'two ways',
  ],
  ['a column that is not there', 'm.json', withTree({ split_indices: [3, 0, 0] }), 'a column of tree 0'],
  ['a list that is too short', 'm.json', withTree({ default_left: [1] }), '1 of 3 entries of default_left'],
  [
    'a count of nodes in billions',
    'm.json',
    withTree({ tree_param: { num_nodes: '4000000000' } }),
    'number of nodes',
  ],
  [
    'a count of columns in billions',
    'm.json',
    xgboost({ parameters: { num_feature: '4000000000' } }),
    'number of columns',
  ],
  ['lists within each other', 'm.json', nested, 'learner_model_param|learner'],
  ['a cut JSON', 'm.json', xgboost({}).slice(0, -30), 'not a valid model'],
  ['a cut UBJSON', 'm.ubj', ubjsonBytes(xgboostDocument()).subarray(0, 900), 'cut off'],
  [
    'a list of UBJSON that is longer than the file',
    'm.ubj',
    Buffer.concat([
      Buffer.from('{L\0\0\0\0\0\0\0\x07learner[$l#l', 'latin1'),
      Buffer.from([0x7f, 0xff, 0xff, 0xff]),
    ]),
    'a length that it cannot have',
  ],
  [
    'a list of UBJSON without content',
    'm.ubj',
    Buffer.from('{L\0\0\0\0\0\0\0\x07learner[$Z#U\x03}', 'latin1'),
    'without content',
  ],
  ['linear leaves', 'm.txt', lightgbmText({}, { is_linear: '1' }), 'linear_tree'],
  [
    'another objective of LightGBM',
    'm.txt',
    lightgbmText({ objective: 'mystery' }),
    '"mystery"',
    'lambdarank',
  ],
  ['a leaf that is not there', 'm.txt', lightgbmText({}, { right_child: '-2 -9' }), 'does not have'],
  ['a leaf by two ways', 'm.txt', lightgbmText({}, { right_child: '-2 -2' }), 'two ways'],
  [
    'a set of categories that is not there',
    'm.txt',
    lightgbmText({}, { threshold: '0.5 7' }),
    'set of categories',
  ],
  ['bits behind the end', 'm.txt', lightgbmText({}, { cat_boundaries: '0 900' }), 'a boundary of tree 0'],
  ['a cut text', 'm.txt', lightgbmText().split('end of trees')[0] ?? '', 'not a valid model'],
  [
    'a type of another library',
    'm.skops',
    skopsBytes(pipeline(['a', estimator('xgboost.sklearn.XGBClassifier', {})])),
    'types that are not loaded: xgboost.sklearn.XGBClassifier',
    'save_model',
  ],
  [
    'a function',
    'm.skops',
    skopsBytes(forest({ classes_: strange('FunctionNode', 'os.system') })),
    'not loaded: os.system',
  ],
  [
    'a method of a known library',
    'm.skops',
    skopsBytes(forest({ classes_: strange('MethodNode', 'numpy.ndarray') })),
    'not loaded: numpy.ndarray',
  ],
  [
    'a constructor that takes a size',
    'm.skops',
    skopsBytes(forest({ x: strange('NdArrayNode', 'numpy.void') })),
    'not loaded: numpy.void',
  ],
  [
    'an array that claims to be larger',
    'm.skops',
    skopsBytes(scaledClassifier, { '1.npy': npyBytes("'<i8'", [4_000_000_000], Buffer.alloc(24)) }),
    'its shape does not fit its size',
  ],
  [
    'an array of pickled objects',
    'm.skops',
    skopsBytes(scaledClassifier, { '1.npy': npyBytes("'|O'", [3], Buffer.alloc(24)) }),
    'pickled objects',
  ],
  ['an array that is missing', 'm.skops', skopsBytes(scaledClassifier, {}), '1.npy is missing'],
  [
    'an archive that unpacks to more',
    'm.skops',
    zipBytes({ '1.npy': { deflated: deflateRawSync('x'), bytes: 2 ** 31 }, 'schema.json': '{}' }),
    'at most 536870912 are read',
  ],
  [
    'another estimator',
    'm.skops',
    skopsBytes(estimator('sklearn.svm._classes.SVC', { n_features_in_: json(2) }), {}),
    'SVC is not exported',
    'RandomForestClassifier',
  ],
  [
    'another step',
    'm.skops',
    skopsBytes(
      pipeline(
        ['text', estimator('sklearn.feature_extraction.text.TfidfVectorizer', {})],
        ['forest', forest({ classes_: array('1.npy') })],
      ),
    ),
    'Its step TfidfVectorizer is not exported',
  ],
  [
    'categories of scikit-learn itself',
    'm.skops',
    skopsBytes(
      estimator('sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingRegressor', {
        n_features_in_: json(3),
        is_categorical_: array('1.npy'),
      }),
      { '1.npy': npyBytes("'|b1'", [3], Buffer.from([0, 0, 1])) },
    ),
    'categories of its own (categorical_features)',
  ],
  [
    'a classifier of one class',
    'm.skops',
    skopsBytes(forest({ classes_: array('1.npy') }), { '1.npy': wholeNumbers(1) }),
    'does not have a single list of classes',
  ],
  [
    'a function that calls itself a loss',
    'm.skops',
    skopsBytes(forest({ x: strange('LossNode', '_loss.system') })),
    '_loss.system',
  ],
  [
    'a tree with classes for fewer outputs than it is made for',
    'm.skops',
    skopsBytes(forest({ classes_: array('1.npy'), estimators_: list(madeTree(90)) }), {
      '1.npy': wholeNumbers(0, 1),
      '2.npy': wholeNumbers(2),
    }),
    'a tree has 90 outputs',
  ],
  [
    'a tree without a number of outputs',
    'm.skops',
    skopsBytes(forest({ classes_: array('1.npy'), estimators_: list(madeTree('many')) }), {
      '1.npy': wholeNumbers(0, 1),
      '2.npy': wholeNumbers(2),
    }),
    'the outputs of a tree',
  ],
  ['a pickle of scikit-learn', 'm.pkl', '\x80\x04\x95sklearn.ensemble._forest', 'skops.io.dump(joblib.load('],
  ['a pickle of XGBoost', 'm.pkl', '\x80\x04\x95xgboost.sklearn', 'unpickling can run any code', 'm.ubj'],
  ['a joblib', 'm.joblib', Buffer.from('80042e', 'hex'), 'skops.io.dump(joblib.load('],
  ['a model of CatBoost', 'm.cbm', 'CBM1\0\0', 'CatBoost', 'format="cbm"', 'm.onnx'],
  [
    'CatBoost as JSON',
    'm.json',
    '{"features_info":{"float_features":[]}}',
    'CatBoost in JSON',
    'format="json"',
  ],
  ['LightGBM as JSON', 'm.json', '{"name":"tree","tree_info":[]}', 'not in its text format', 'save_model'],
  ['XGBoost in its old format', 'm.model', 'binf\0\0\0\0', 'binary format of old versions'],
  ['another name', 'm.onnx', xgboost({}), 'under another name', 'mv '],
];

refusesEach(
  'a file of rows',
  files.map(([what, name, content, ...says]): Broken => ({
    what,
    code: 'model-file-invalid',
    make: (bench) => bench.put(name, typeof content === 'string' ? Buffer.from(content, 'latin1') : content),
    says: says.map((words) => (typeof words === 'string' && words.includes('|') ? new RegExp(words) : words)),
  })),
);

/** Numbers that are the same each time. */
function* numbersFrom(seed: number): Generator<number, never> {
  for (let state = seed; ; state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) yield state;
}

/** A byte changed, cut off, left out, or said twice. */
function mutated(content: Buffer, numbers: Generator<number, never>): Buffer {
  const next = (below: number) => numbers.next().value % Math.max(1, below);
  const at = next(content.length);
  const [before, after] = [content.subarray(0, at), content.subarray(at + 1)];
  switch (next(5)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, content.subarray(at, at + next(64)), content.subarray(at)]);
    case 3:
      return Buffer.concat([before, Buffer.from(['0', '9', '-', ',', '}', ']', '"'][next(7)] ?? ' '), after]);
    default:
      return Buffer.concat([before, Buffer.from([next(256)]), after]);
  }
}

const bench = useModelBench();
const originals: readonly (readonly [string, string, Buffer])[] = [
  ['JSON', 'm.json', Buffer.from(xgboost({}))],
  ['UBJSON', 'm.ubj', ubjsonBytes(xgboostDocument())],
  ['text', 'm.txt', Buffer.from(lightgbmText())],
  ['skops', 'm.skops', skopsBytes()],
];

it.each(originals)(
  '150 damaged files of %s are read, or refused by name',
  async (_format, name, original) => {
    const numbers = numbersFrom(original.length);
    const { tools, executed } = bench();
    const outcomes = { read: 0, refused: 0 };
    for (let count = 0; count < 150; count += 1) {
      const path = await bench().put(name, mutated(original, numbers));
      try {
        await openModel({ path }, tools());
        outcomes.read += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(WorkbenchError);
        expect((error as WorkbenchError).code).toBe('model-file-invalid');
        outcomes.refused += 1;
      }
    }
    expect(outcomes.read + outcomes.refused).toBe(150);
    expect(outcomes.refused).toBeGreaterThan(20);
    expect(existsSync(executed)).toBe(false);
  },
);
