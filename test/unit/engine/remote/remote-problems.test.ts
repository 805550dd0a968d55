import { describe, expect, it } from 'vitest';
import { tensorMismatches } from '../../../../main/engine/remote/remote-problems';
import { toModelConfig } from '../../../../main/triton/config/config-pbtxt';
import type { ModelConfig } from '../../../../main/triton/model-config';

const config = (dataType: string, dims: readonly number[], maxBatchSize = 8): ModelConfig =>
  toModelConfig({
    name: 'resnet50',
    maxBatchSize,
    input: [{ name: 'image', dataType, dims: [...dims] }],
    output: [{ name: 'logits', dataType, dims: [10] }],
  });

const served = (datatype: string, input: readonly number[], output: readonly number[] = [-1, 10]) => ({
  inputs: [{ name: 'image', datatype, shape: [...input] }],
  outputs: [{ name: 'logits', datatype, shape: [...output] }],
});

describe('the tensors of a remote model against those of a run', () => {
  it('fit where types and shapes are the same, with the batch dimension and without', () => {
    expect(tensorMismatches(config('TYPE_FP32', [3, 32, 32]), served('FP32', [-1, 3, 32, 32]))).toEqual([]);
    expect(tensorMismatches(config('TYPE_FP32', [3], 0), served('FP32', [3], [10]))).toEqual([]);
  });

  it('fit where either side leaves a dimension open', () => {
    expect(tensorMismatches(config('TYPE_FP32', [3, -1, -1]), served('FP32', [-1, 3, 32, 32]))).toEqual([]);
    expect(tensorMismatches(config('TYPE_FP32', [3, 32, 32]), served('FP32', [-1, 3, -1, -1]))).toEqual([]);
  });

  it('are named with what the run needs and what is served', () => {
    expect(tensorMismatches(config('TYPE_FP16', [3, 32, 32]), served('FP32', [-1, 3, 32, 32]))).toEqual([
      'Input image: the run needs FP16 [-1, 3, 32, 32], the server has FP32 [-1, 3, 32, 32]',
      'Output logits: the run needs FP16 [-1, 10], the server has FP32 [-1, 10]',
    ]);
    expect(tensorMismatches(config('TYPE_FP32', [3, 64, 64]), served('FP32', [-1, 3, 32, 32]))).toEqual([
      'Input image: the run needs FP32 [-1, 3, 64, 64], the server has FP32 [-1, 3, 32, 32]',
    ]);
  });

  it('are missing where the server has them under other names only', () => {
    const other = { inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3] }], outputs: [] };
    expect(tensorMismatches(config('TYPE_FP32', [3]), other)).toEqual([
      'Input image: the run needs FP32 [-1, 3], but the server has no such tensor (it has x)',
      'Output logits: the run needs FP32 [-1, 10], but the server has no such tensor (it has none)',
    ]);
  });

  it('have names of their own for text: STRING in config.pbtxt is BYTES on the server', () => {
    expect(tensorMismatches(config('TYPE_STRING', [1]), served('BYTES', [-1, 1]))).toEqual([]);
  });
});
