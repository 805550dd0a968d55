import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { openModel } from '../../../main/own/open-model';
import { useModelBench } from '../../support/model-bench';
import { onnxBytes, type OnnxText } from '../../support/onnx-bytes';
import { rejection } from '../../support/rejection';

const bench = useModelBench();

async function repository(config: string, text: OnnxText = {}): Promise<string> {
  await bench().put('m/1/model.onnx', onnxBytes(text));
  return dirname(await bench().put('m/config.pbtxt', `backend: "onnxruntime" ${config}`));
}

const x = 'input [{ name: "x" data_type: TYPE_FP32 dims: [3] }]';
const y = 'output [{ name: "y" data_type: TYPE_FP32 dims: [3] }]';
const fixed: OnnxText = {
  inputs: [{ name: 'x', shape: [1, 3] }],
  outputs: [{ name: 'y', shape: [1, 3] }],
};

it.each<readonly [string, string, string, OnnxText]>([
  [`max_batch_size: 8 ${x.replace('"x"', '"X"')} ${y}`, 'no input "X"; it has x', 'Write name: "x".', {}],
  [
    `max_batch_size: 8 ${x} ${y.replace('"y"', '"output"')}`,
    'no output "output"; it has y',
    'Write name: "y".',
    {},
  ],
  [
    `max_batch_size: 8 ${x.replace('FP32', 'FP16')}`,
    'the input x is TYPE_FP16 in config.pbtxt, but TYPE_FP32 in the file',
    'Write data_type: TYPE_FP32.',
    {},
  ],
  [
    `max_batch_size: 8 ${x.replace('[3]', '[4]')}`,
    'x has dims [4] in config.pbtxt, but [3]',
    'Write dims: [3].',
    {},
  ],
  [`max_batch_size: 0 ${x}`, 'x has dims [3] in config.pbtxt, but [-1, 3]', 'Write dims: [-1, 3].', {}],
  [
    `max_batch_size: 8 ${x} ${y}`,
    'max_batch_size is 8, but the first axis of the input x is 1',
    'max_batch_size: 0',
    fixed,
  ],
  ['max_batch_size: 8', 'max_batch_size is 8, but the first axis of x is 1', 'max_batch_size: 0', fixed],
  [
    `max_batch_size: 8 ${x}`,
    'the file has an input "z" that config.pbtxt lacks',
    'Add it to input.',
    { inputs: ['x', 'z'].map((name) => ({ name, shape: ['batch', 3] })) },
  ],
])('%s does not fit its file', async (config, message, remedy, text) => {
  const error = await rejection(
    openModel({ path: await repository(config, text), rewrite: true }, bench().tools()),
  );
  expect(error.code).toBe('model-folder-invalid');
  expect(error.message).toContain(`config.pbtxt does not fit model.onnx: `);
  expect(error.message).toContain(message);
  expect(error.remedy).toContain(remedy);
  expect(error.remedy).toContain('give the file: ');
});

it.each<readonly [string, OnnxText]>([
  [`max_batch_size: 8 ${x} ${y}`, {}],
  [`max_batch_size: 8 ${x}`, {}],
  ['max_batch_size: 8 input [{ name: "x" dims: [] }]', {}],
  ['max_batch_size: 8 input [{ name: "x" data_type: TYPE_FP32 dims: [1, 3] reshape { shape: [3] } }]', {}],
  [`${x.replace('[3]', '[1, 3]')} ${y.replace('[3]', '[1, 3]')}`, fixed],
  [
    `max_batch_size: 8 ${x} sequence_batching { control_input [{ name: "go" }] }`,
    { inputs: ['x', 'go'].map((name) => ({ name, shape: ['batch', 3] })) },
  ],
])('%s fits', async (config, text) => {
  expect(
    (await openModel({ path: await repository(config, text), rewrite: true }, bench().tools())).choice,
  ).not.toBeNull();
});
