import { expect, it } from 'vitest';
import type { DockerEngineSpec, RunSpec } from '../../../../main/contract/run/run-spec';
import { newerSavedModel } from '../../../../main/pipeline/steps/images.step';
import { specFixture } from '../../../support/run-state';

const ngc: DockerEngineSpec = { kind: 'docker', images: 'ngc', gpus: ['GPU-a'], shmSizeMiB: 64 };
const saved: RunSpec = { ...specFixture(), format: 'tf-savedmodel', engine: ngc };

it("says where a SavedModel is written by a newer TensorFlow than that of NVIDIA's Triton", () => {
  expect(newerSavedModel(saved, { 'tensorflow-cpu': '2.21.0' })).toContain('TensorFlow 2.21.0');
});

it('says nothing of one that is not newer, of other formats, and of images built here, which serve it with the writer', () => {
  expect(newerSavedModel(saved, { 'tensorflow-cpu': '2.17.1' })).toBeNull();
  expect(newerSavedModel(saved, {})).toBeNull();
  expect(newerSavedModel({ ...saved, format: 'onnx' }, { 'tensorflow-cpu': '2.21.0' })).toBeNull();
  const cpu: DockerEngineSpec = { ...ngc, images: 'cpu', gpus: [] };
  expect(newerSavedModel({ ...saved, engine: cpu }, { 'tensorflow-cpu': '2.21.0' })).toBeNull();
});
