import { expect, it } from 'vitest';
import type { MatrixResult } from '../../../../main/domain/measured/matrix-result';
import { matrixBest } from '../../../../main/domain/study/matrix-best';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

function resultOf(
  number: number,
  instances: number,
  inferencesPerSecond: number,
  preset = 'resnet50',
): MatrixResult {
  const spec = specFixture((changed) => {
    changed.configure.instances = instances;
    changed.model.preset = preset;
  });
  const state = stateOf([
    ...createdBodies(spec),
    measurementBody('online', pointFixture({ inferencesPerSecond })),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const axes = [
    { field: 'configure.instances', value: String(instances) },
    { field: 'onnxOpset', value: '17' },
  ];
  return { number, axes, spec, state, leftOut: null, error: null };
}
const failed = (number: number): MatrixResult => ({ ...resultOf(number, 4, 9000), state: null });

it('names the best of the complete runs by what was varied', () => {
  const sentence = matrixBest([resultOf(1, 1, 900), resultOf(2, 2, 1800), failed(3)])?.sentence;
  expect(sentence).toMatch(/^Best of 2 runs: model instances 2, ONNX opset 17, 1,800 /);
  expect(sentence).toContain('faster than model instances 1, ONNX opset 17');
});

it('is absent where fewer than two runs are complete, or their models differ', () => {
  expect(matrixBest([resultOf(1, 1, 900), failed(2)])).toBeNull();
  expect(matrixBest([resultOf(1, 1, 900), resultOf(2, 1, 900, 'bert')])).toBeNull();
});
