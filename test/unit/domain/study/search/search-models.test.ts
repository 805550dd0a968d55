import { describe, expect, it } from 'vitest';
import type { Candidate, SearchedFormat } from '../../../../../main/contract/study/search';
import {
  modelNumberOf,
  modelOf,
  modelsOf,
  modelText,
  wantedModels,
} from '../../../../../main/domain/study/search/search-models';
import { specFixture } from '../../../../support/run-state';

const onnx: SearchedFormat = { format: 'onnx', precision: 'fp32', backendAccelerator: 'none' };
const half: SearchedFormat = { ...onnx, precision: 'fp16' };
const configured: Omit<Candidate, 'instances'> = {
  ...{ maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [], maxQueueDelayUs: 0, threads: 1 },
};

it('names a model by its format and precision, and its accelerator where it has one', () => {
  expect(modelText(modelOf(specFixture()))).toBe('ONNX FP16');
  expect(modelText({ ...onnx, backendAccelerator: 'trt' })).toBe('ONNX FP32, accelerator TensorRT');
});

const cpu = { onGpu: false, precisions: ['fp32', 'fp16'] } as const;
const gpu = { ...cpu, onGpu: true };

describe('the models to compare', () => {
  it('are on a CPU that of the run', () => {
    expect(wantedModels(onnx, {}, cpu)).toEqual([onnx]);
  });

  it('are on GPUs also its other precisions, where the format has them', () => {
    expect(wantedModels(onnx, {}, gpu)).toEqual([onnx, half]);
    const compiled: SearchedFormat = { ...onnx, format: 'pt2' };
    expect(wantedModels(compiled, {}, gpu)).toEqual([compiled]);
    expect(wantedModels(onnx, { precision: ['fp32'] }, gpu)).toEqual([onnx]);
  });

  it('are each asked format with each precision and accelerator', () => {
    const asked = { format: ['onnx', 'ts-script'], precision: ['fp32', 'fp16'] } as const;
    expect(wantedModels(onnx, { format: [...asked.format], precision: [...asked.precision] }, cpu)).toEqual([
      onnx,
      half,
      // The accelerator of another format is what the preset takes for it.
      { format: 'ts-script', precision: 'fp32', backendAccelerator: null },
      { format: 'ts-script', precision: 'fp16', backendAccelerator: null },
    ]);
    expect(wantedModels(onnx, { backendAccelerator: ['cuda'] }, gpu)).toEqual([
      { ...onnx, backendAccelerator: 'cuda' },
      { ...half, backendAccelerator: 'cuda' },
    ]);
    // A format without half precision is asked for what it has.
    expect(wantedModels(half, { format: ['pt2'] }, cpu)).toEqual([
      { format: 'pt2', precision: 'fp32', backendAccelerator: null },
    ]);
  });
});

it('tells which model a candidate is a configuration of', () => {
  const candidates: Candidate[] = [onnx, onnx, half, onnx].map((model, at) => ({
    ...model,
    ...configured,
    instances: at + 1,
  }));
  expect(modelsOf({ candidates })).toEqual([onnx, half]);
  expect([1, 2, 3, 4].map((number) => modelNumberOf({ candidates }, number))).toEqual([0, 0, 1, 0]);
  // Journals of searches over one have none of these fields.
  expect(modelsOf({ candidates: [{ ...configured, instances: 1 }] })).toEqual([{}]);
});
