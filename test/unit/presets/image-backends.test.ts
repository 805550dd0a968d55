import { expect, it } from 'vitest';
import { imageWithAll } from '../../../main/presets/image-backends';

it.each([
  [['python', 'onnxruntime'], '26.07-py3'],
  [['python', 'tensorflow', 'onnxruntime'], '25.02-py3'],
  [['python', 'vllm'], '26.07-vllm-python-py3'],
])('%j are in one image', (backends, tag) => {
  expect(imageWithAll(backends, '26.07')).toBe(`nvcr.io/nvidia/tritonserver:${tag}`);
});

it('names no image for backends that no image has together', () => {
  expect(imageWithAll(['vllm', 'fil'], '26.07')).toBeNull();
});
