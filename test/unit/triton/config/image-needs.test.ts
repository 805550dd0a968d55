import { expect, it } from 'vitest';
import { imageNeeds } from '../../../../main/triton/config/image-needs';

const said = (text: string) =>
  imageNeeds('m', text).map(({ where, message, gpus }) => [where, message, gpus] as const);

it.each([
  ['instance_group { kind: KIND_CPU }'],
  ['instance_group { count: 2 }'],
  ['instance_group { kind: KIND_CPU gpus: [ 0 ] }'],
  ['platform: "ensemble" instance_group { kind: KIND_GPU }'],
  ['optimization { graph { level: 1 } }'],
  [''],
])('%j is executed as it is without an image', (text) => {
  expect(imageNeeds('m', text)).toStrictEqual([]);
});

it('is the group with GPUs, in Triton’s words and with its line', () => {
  expect(imageNeeds('m', 'max_batch_size: 8\ninstance_group [\n  { kind: KIND_GPU }\n]')).toStrictEqual([
    {
      ...{ where: 'm/config.pbtxt, line 3', message: 'instance_group[0] is KIND_GPU', gpus: true },
      triton: 'instance group m_0 of model m has kind KIND_GPU but no GPUs are available',
    },
  ]);
  expect(
    said('instance_group { kind: KIND_CPU }\ninstance_group { name: "g" gpus: [ 0, 1 ] }'),
  ).toStrictEqual([['m/config.pbtxt, line 2', 'instance_group[1] names the GPUs 0, 1', true]]);
});

it('is a frozen graph of TensorFlow', () => {
  expect(said('max_batch_size: 8\nplatform: "tensorflow_graphdef"')).toStrictEqual([
    ['m/config.pbtxt, line 2', 'platform is tensorflow_graphdef', false],
  ]);
});

it('is the accelerator of a backend, of which those for the CPU need no GPU', () => {
  const text = `optimization { execution_accelerators {
    gpu_execution_accelerator: [ { name: "tensorrt" } ]
    cpu_execution_accelerator: [ { name: "openvino" } ]
  } }`;
  expect(said(text)).toStrictEqual([
    ['m/config.pbtxt, line 2', 'optimization names the accelerator tensorrt', true],
    ['m/config.pbtxt, line 3', 'optimization names the accelerator openvino', false],
  ]);
});
