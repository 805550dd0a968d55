import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ModelSource } from '../../../../main/contract/run/run-spec';
import { openModel } from '../../../../main/own/open-model';
import { classifiers, regressors, transformers } from '../../../../main/own/trees/estimators';
import { lightgbmObjectives } from '../../../../main/own/trees/lightgbm';
import { xgboostObjectives } from '../../../../main/own/trees/xgboost';
import { useModelBench } from '../../../support/model-bench';
import { lightgbmText, skopsBytes, stump, xgboostDocument } from '../../../support/tree-files';

const bench = useModelBench();

async function open(name: string, content: string | Buffer) {
  const path = await bench().put(name, content);
  const { choice, notes, preset, trusted, code } = await openModel({ path }, bench().tools());
  expect([trusted, code]).toEqual([true, []]);
  const { model } = (choice?.overrides ?? {}) as { model: { source: ModelSource } };
  return { source: model.source, notes: notes.join('\n'), preset };
}

describe('a classifier', () => {
  it('takes rows of float32, and gives the number of the class and a probability per class', async () => {
    const { source, notes, preset } = await open('churn.json', JSON.stringify(xgboostDocument()));
    expect(source).toMatchObject({
      kind: 'trees',
      title: 'churn',
      batched: true,
      inputs: [{ name: 'input', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
      outputs: [
        { name: 'label', datatype: 'INT64', shape: [-1, 1] },
        { name: 'probabilities', datatype: 'FP32', shape: [-1, 2] },
      ],
      trees: { library: 'xgboost', columns: ['age', 'income', 'city'], categories: { '2': 1 } },
    });
    for (const words of [
      'XGBoost (JSON, written by 3.4.1): gbtree with binary:logistic, 1 tree.',
      'Columns in order: age, income, city.',
      'city is a category',
      'Missing values are NaN.',
    ])
      expect(notes).toContain(words);
    // A threshold is another one in fp16, and a runtime on a GPU has no trees.
    expect(preset).toMatchObject({ precisions: ['fp32'], formats: ['onnx'], accelerators: ['none'] });
    expect(preset?.defaults).toMatchObject({
      accuracy: { atol: { '*': 1e-5 }, rtol: { '*': 1e-5 }, maxMismatch: { '*': 0.001 } },
    });
  });

  it('of skops has the names of its classes', async () => {
    const { source, notes } = await open('iris.skops', skopsBytes());
    expect(source.outputs.map(({ shape }) => shape)).toEqual([
      [-1, 1],
      [-1, 3],
    ]);
    expect(notes).toContain(
      'scikit-learn (skops, written by skops 0.16.0): StandardScaler, LogisticRegression.',
    );
  });
});

describe('a regression', () => {
  it('gives one value per row', async () => {
    const { source } = await open('m.txt', lightgbmText({ objective: 'regression' }));
    expect(source.outputs).toEqual([{ name: 'variable', datatype: 'FP32', shape: [-1, 1] }]);
    expect(source.trees).toMatchObject({ library: 'lightgbm', task: 'regression', categories: { '2': 5 } });
  });

  it('keeps the rounds of early stopping', async () => {
    const document = xgboostDocument({
      objective: 'reg:squarederror',
      trees: [stump, stump, stump],
      learner: { attributes: { best_iteration: '1', scikit_learn: '{}' } },
    });
    const { source, notes } = await open('m.json', JSON.stringify(document));
    expect(source.trees?.rounds).toBe(2);
    expect(notes).toContain('Training stopped early: the first 2 rounds are served');
  });
});

it('names of columns that are too many stay in the file', async () => {
  const names = Array.from({ length: 1001 }, (_none, index) => `c${index}`);
  const document = xgboostDocument({
    parameters: { num_feature: '1001' },
    learner: { feature_names: names, feature_types: [] },
  });
  expect((await open('m.json', JSON.stringify(document))).source.trees).not.toHaveProperty('columns');
});

it('a shape of samples is refused: the file states the length of a row', async () => {
  const path = await bench().put('m.txt', lightgbmText());
  await expect(openModel({ path, shapes: { input: [1, 3] } }, bench().tools())).rejects.toThrow(
    'rows of one length',
  );
});

it('a model is made of each objective and estimator that is exported, to try it', async () => {
  const scripts = await readdir('scripts/trees');
  const made = await Promise.all(
    scripts.filter((name) => name.endsWith('.py')).map((name) => readFile(`scripts/trees/${name}`, 'utf8')),
  );
  const text = made.join('\n');
  const wanted = [
    ...xgboostObjectives,
    ...lightgbmObjectives,
    ...classifiers,
    ...regressors,
    ...transformers,
  ];
  // An older name of another one, which the library writes no more.
  const missing = wanted.filter((name) => name !== 'reg:linear' && !text.includes(name));
  expect(missing).toEqual([]);
});
