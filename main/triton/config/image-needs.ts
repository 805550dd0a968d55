import type { ImageNeed } from '../../contract/served-repository';
import type { ModelConfig } from '../model-config';
import { configPlace } from './config-line';
import { parseConfigPbtxt } from './config-pbtxt';

interface Need extends Pick<ImageNeed, 'message' | 'triton' | 'gpus'> {
  readonly path: string;
}

/** Platform whose models only Triton's own backend reads. */
export const frozenGraph = 'tensorflow_graphdef';

type Group = NonNullable<ModelConfig['instanceGroup']>[number];

/** Triton completes KIND_AUTO to KIND_CPU where it has no GPU, which then names GPUs. */
function groupNeeds(model: string, { kind = 'KIND_AUTO', gpus = [], name = '' }: Group, index: number) {
  const group = `instance group ${name === '' ? `${model}_${index}` : name} of model ${model} has kind`;
  const at = `instance_group[${index}]`;
  if (kind === 'KIND_GPU') {
    const triton = `${group} KIND_GPU but no GPUs are available`;
    return [{ path: `${at}.kind`, message: `${at} is KIND_GPU`, triton, gpus: true }];
  }
  if (kind !== 'KIND_AUTO' || gpus.length === 0) return [];
  const triton = `${group} KIND_CPU but specifies one or more GPUs`;
  const named = `${at} names ${gpus.length === 1 ? 'GPU' : 'the GPUs'} ${gpus.join(', ')}`;
  return [{ path: `${at}.gpus`, message: named, triton, gpus: true }];
}

/** Triton’s own backends have them; those that take their place here do not. */
function acceleratorNeeds({ executionAccelerators = {} }: NonNullable<ModelConfig['optimization']>) {
  const kinds = [
    ['gpuExecutionAccelerator', 'gpu_execution_accelerator', true],
    ['cpuExecutionAccelerator', 'cpu_execution_accelerator', false],
  ] as const;
  return kinds.flatMap(([field, name, gpus]): readonly Need[] =>
    (executionAccelerators[field] ?? []).map((one, index) => ({
      path: `optimization.execution_accelerators.${name}[${index}]`,
      message: `optimization names the accelerator ${one.name}`,
      ...{ triton: null, gpus },
    })),
  );
}

const [mostNeeds, mostText] = [256, 1024];

/**
 * What of a configuration only an image of NVIDIA's executes as it is written, with the line of each: GPUs, and accelerators of
 * Triton's own backends. Empty for an ensemble. Throws config-invalid. Pure.
 */
export function imageNeeds(model: string, text: string): readonly ImageNeed[] {
  const { instanceGroup = [], optimization = {}, platform } = parseConfigPbtxt(text);
  if (platform === 'ensemble') return [];
  const found: readonly Need[] = [
    ...(platform === frozenGraph
      ? [{ path: 'platform', message: `platform is ${frozenGraph}`, triton: null, gpus: false }]
      : []),
    ...instanceGroup.flatMap((group, index) => groupNeeds(model, group, index)),
    ...acceleratorNeeds(optimization),
  ];
  return found.slice(0, mostNeeds).map(({ path, message, triton, gpus }) => ({
    where: `${model}/${configPlace(text, path)}`,
    message: message.slice(0, mostText),
    triton: triton?.slice(0, mostText) ?? null,
    gpus,
  }));
}
