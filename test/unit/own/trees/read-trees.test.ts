import { describe, expect, it } from 'vitest';
import { readTrees } from '../../../../main/own/trees/read-trees';
import { useModelBench } from '../../../support/model-bench';
import {
  array,
  estimator,
  json,
  lightgbmText,
  list,
  madeTree,
  objects,
  pipeline,
  skopsBytes,
  strange,
  stump,
  tuple,
  ubjsonBytes,
  wholeNumbers,
  xgboostDocument,
} from '../../../support/tree-files';

const bench = useModelBench();
const read = async (name: string, content: string | Buffer) => readTrees(await bench().put(name, content));

describe('a model of XGBoost', () => {
  it.each([
    ['JSON', (document: unknown) => JSON.stringify(document)],
    ['UBJSON', ubjsonBytes],
  ] as const)('as %s is read for its columns, objective and trees', async (format, write) => {
    expect(await read('model.bin', write(xgboostDocument()))).toEqual({
      library: 'xgboost',
      format,
      version: '3.4.1',
      estimator: 'gbtree with binary:logistic',
      task: 'classification',
      features: 3,
      columns: ['age', 'income', 'city'],
      categories: { '2': 1 },
      classes: 2,
      classNames: [],
      hasProbabilities: true,
      values: 0,
      trees: 1,
      rounds: 1,
      roundsInUse: null,
    });
  });

  it('has the categories of its splits', async () => {
    const tree = {
      ...stump,
      split_indices: [2, 0, 0],
      split_type: [1, 0, 0],
      categories: [0, 3, 7],
      categories_nodes: [0],
      categories_segments: [0],
      categories_sizes: [3],
    };
    const document = xgboostDocument({ trees: [tree] });
    expect((await read('m.json', JSON.stringify(document))).categories).toEqual({ '2': 8 });
    expect((await read('m.ubj', ubjsonBytes(document))).categories).toEqual({ '2': 8 });
  });

  it('of several classes has a tree per class in each round', async () => {
    const document = xgboostDocument({
      objective: 'multi:softprob',
      parameters: { num_class: '3' },
      trees: Array.from({ length: 6 }, () => stump),
      info: [0, 1, 2, 0, 1, 2],
    });
    expect(await read('m.json', JSON.stringify(document))).toMatchObject({ classes: 3, trees: 6, rounds: 2 });
  });

  it('whose training stopped early uses the best rounds where the interface of scikit-learn wrote it', async () => {
    const trees = Array.from({ length: 9 }, () => stump);
    const early = (attributes: unknown) =>
      read('m.json', JSON.stringify(xgboostDocument({ trees, learner: { attributes } })));
    expect((await early({ best_iteration: '3', scikit_learn: '{}' })).roundsInUse).toBe(4);
    expect((await early({ best_iteration: '3' })).roundsInUse).toBeNull();
  });

  it('with dropped trees has them one level deeper', async () => {
    const { learner } = xgboostDocument() as { learner: { gradient_booster: unknown } };
    const booster = { name: 'dart', gbtree: learner.gradient_booster, weight_drop: [0.5] };
    expect((await read('m.json', JSON.stringify(xgboostDocument({ booster })))).estimator).toBe(
      'dart with binary:logistic',
    );
  });
});

describe('a text model of LightGBM', () => {
  it('is read for its columns, objective, trees and categories', async () => {
    expect(await read('model.txt', lightgbmText())).toMatchObject({
      library: 'lightgbm',
      version: 'v4',
      estimator: 'gradient boosting with binary',
      task: 'classification',
      features: 3,
      columns: ['age', 'income', 'city'],
      categories: { '2': 5 },
      classes: 2,
      trees: 1,
    });
  });

  it('with an objective of its own gives the sums of its leaves', async () => {
    const text = lightgbmText().replace(/objective=.*\n/, '');
    expect(await read('model.txt', text)).toMatchObject({ task: 'regression', values: 1 });
  });
});

describe('an archive of skops', () => {
  it('is read for its steps, columns and classes', async () => {
    expect(await read('model.skops', skopsBytes())).toMatchObject({
      library: 'sklearn',
      format: 'skops',
      version: '0.16.0',
      estimator: 'StandardScaler, LogisticRegression',
      task: 'classification',
      features: 2,
      columns: ['width', 'height'],
      classes: 3,
      classNames: [],
    });
  });

  it('may have trees, losses and a generator of numbers, as ensembles have', async () => {
    const forest = estimator('sklearn.ensemble._forest.RandomForestClassifier', {
      n_features_in_: json(2),
      classes_: array('1.npy'),
      estimators_: list(madeTree(1)),
      loss: strange('LossNode', '_loss.CyHalfBinomialLoss'),
      random: strange('RandomGeneratorNode', 'numpy.random._generator.Generator'),
    });
    const files = { '1.npy': wholeNumbers(0, 1), '2.npy': wholeNumbers(2) };
    expect(await read('model.skops', skopsBytes(forest, files))).toMatchObject({ classes: 2, features: 2 });
  });

  it('has classes with names, and the parts of a ColumnTransformer', async () => {
    const scaler = estimator('sklearn.preprocessing._data.StandardScaler', { n_features_in_: json(1) });
    const columns = estimator('sklearn.compose._column_transformer.ColumnTransformer', {
      n_features_in_: json(4),
      transformers_: list(
        tuple(json('numbers'), scaler, list(json('a'))),
        tuple(json('remainder'), json('drop'), list(json(1))),
      ),
    });
    const forest = estimator('sklearn.ensemble._forest.RandomForestClassifier', {
      n_estimators: json(20),
      classes_: objects('no', 'yes'),
    });
    const facts = await read('m.zip', skopsBytes(pipeline(['columns', columns], ['forest', forest]), {}));
    expect(facts).toMatchObject({ features: 4, classes: 2, classNames: ['no', 'yes'], trees: 20 });
  });

  it('of a regression has as many values as targets', async () => {
    const ridge = estimator('sklearn.linear_model._ridge.Ridge', {
      n_features_in_: json(2),
      coef_: array('2.npy'),
    });
    expect(await read('m.skops', skopsBytes(ridge, { '2.npy': wholeNumbers(1, 2) }))).toMatchObject({
      task: 'regression',
      values: 1,
      classes: 0,
    });
  });
});
