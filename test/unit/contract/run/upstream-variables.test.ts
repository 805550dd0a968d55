import { expect, it } from 'vitest';
import { readAssignment } from '../../../../main/contract/run/upstream-variables';

it.each([
  ['TRITON_MAX_QUEUE_DELAY=1', { configure: { maxQueueDelayUs: 1 } }],
  ['TRITON_PREFERRED_BATCH_SIZES=64 128', { configure: { preferredBatchSizes: [64, 128] } }],
  ['BATCH_SIZE=1, 2, 4', { performance: { batchSizes: [1, 2, 4] } }],
  ['MAX_WORKSPACE_SIZE=4294967296', { tensorrt: { maxWorkspaceBytes: 4_294_967_296 } }],
  ['FORMAT=ts-trace', { format: 'ts-trace' }],
  ['CAPTURE_CUDA_GRAPH=1', { configure: { captureCudaGraph: true } }],
  ['accuracy.thresholds.top1=0.9', { accuracy: { thresholds: { top1: 0.9 } } }],
  ['configure.modelName=my-model', { configure: { modelName: 'my-model' } }],
  ['performance.concurrency=1,2,4', { performance: { concurrency: [1, 2, 4] } }],
  ['performance.concurrency=[1, 2]', { performance: { concurrency: [1, 2] } }],
  ['performance.concurrency=8', { performance: { concurrency: [8] } }],
  ['performance.concurrency=formula', { performance: { concurrency: 'formula' } }],
  ['performance.requestRates=0.5,100', { performance: { requestRates: [0.5, 100] } }],
  ['engine.gpus=GPU-a,GPU-b', { engine: { gpus: ['GPU-a', 'GPU-b'] } }],
  ['model.args.hidden=64', { model: { args: { hidden: '64' } } }],
  ['model.args.rate=1.0', { model: { args: { rate: '1.0' } } }],
  ['model.args.isolate=false', { model: { args: { isolate: 'false' } } }],
  ['deadlines.prepare-data=5', { deadlines: { 'prepare-data': 5 } }],
])('%s', (text, expected) => {
  expect(readAssignment(text)).toEqual(expected);
});

it.each(['PRECISION', 'MAX_BATCH_SIZE=many', 'NO_SUCH_VARIABLE=1', '__proto__.x=1'])('refuses %s', (text) => {
  expect(() => readAssignment(text)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
});
