import type { Given } from '../checked-repository';
import { code, ensemble, type Layout, net, python, step, tensors, whole } from './layout';

const image = (name: string, given: Given, message: string, more: Pick<Layout, 'parts'> = {}): Layout => ({
  ...{ name, given, ...more },
  outcome: { is: 'image', message },
});
const onGpu = 'instance_group [ { kind: KIND_GPU } ]\n';

export const imageLayouts: readonly Layout[] = [
  image(
    'forest',
    { config: `backend: "fil"\nmax_batch_size: 8\n${tensors}`, files: { '1/xgboost.json': '{}' } },
    'forest needs the backend "fil"',
  ),
  image(
    'pictures',
    { config: `backend: "dali"\nmax_batch_size: 8\n${tensors}`, files: { '1/model.dali': 'x' } },
    'pictures needs the backend "dali"',
  ),
  image(
    'tokens',
    { config: `backend: "vllm"\n${tensors}`, files: { '1/model.json': '{}' } },
    'tokens needs the backend "vllm"',
  ),
  image(
    'plan',
    { config: `platform: "tensorrt_plan"\n${tensors}`, files: { '1/model.plan': 'x' } },
    'plan needs the backend "tensorrt"',
  ),
  image(
    'graphdef',
    {
      config: `platform: "tensorflow_graphdef"\nmax_batch_size: 8\n${tensors}`,
      files: { '1/model.graphdef': 'x' },
    },
    'graphdef/config.pbtxt, line 1: platform is tensorflow_graphdef',
  ),
  image(
    'gpu',
    { ...net, config: `${whole}${onGpu}` },
    'gpu/config.pbtxt, line 5: instance_group[0] is KIND_GPU',
  ),
  image(
    'gpu_code',
    { config: `${python}${onGpu}`, files: code },
    'gpu_code/config.pbtxt, line 5: instance_group[0] is KIND_GPU',
  ),
  image(
    'gpus',
    { ...net, config: `${whole}instance_group [ { count: 1 gpus: [ 0 ] } ]\n` },
    'gpus/config.pbtxt, line 5: instance_group[0] names GPU 0',
  ),
  image(
    'accelerated',
    {
      ...net,
      config: `${whole}optimization { execution_accelerators {\n  gpu_execution_accelerator : [ { name: "tensorrt" } ] } }\n`,
    },
    'accelerated/config.pbtxt, line 6: optimization names the accelerator tensorrt',
  ),
  image(
    'accelerated_cpu',
    {
      ...net,
      config: `${whole}optimization { execution_accelerators {\n  cpu_execution_accelerator : [ { name: "openvino" } ] } }\n`,
    },
    'accelerated_cpu/config.pbtxt, line 6: optimization names the accelerator openvino',
  ),
  image(
    'gpu_part',
    ensemble(step('gpu_part_net', 'x', 'y')),
    'gpu_part_net/config.pbtxt, line 5: instance_group[0] is KIND_GPU',
    {
      parts: { gpu_part_net: { ...net, config: `${whole}${onGpu}` } },
    },
  ),
];
