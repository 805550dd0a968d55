import { jobContainers } from '../../../../main/contract/job/job-engines';
import { backendsOf, imageFamily, inContainers } from '../../../../main/contract/run/engine-kinds';
import { formatFacts, formats, isOfPytorch } from '../../../../main/contract/run/model-formats';
import type {
  Accelerator,
  DockerEngineSpec,
  Format,
  Precision,
} from '../../../../main/contract/run/run-spec';
import { isTree } from '../../../../main/contract/trees';
import type { FieldContext } from './field';

/** The engine as chosen, complete enough to tell which backends it has. */
export function engineOf(context: FieldContext): Parameters<typeof backendsOf>[0] {
  const engine = context.value('engine');
  const chosen = isTree(engine) ? engine : {};
  if (chosen['kind'] === 'remote') return { kind: 'remote', url: '' };
  if (chosen['kind'] === 'slurm') {
    const container = jobContainers.find((known) => known === chosen['container']);
    return { kind: 'slurm', ...(container === undefined ? {} : { container }) };
  }
  if (chosen['kind'] === 'kubernetes') {
    return { kind: 'kubernetes', ...(chosen['triton'] === 'home' ? { triton: 'home' } : {}) };
  }
  if (chosen['kind'] !== 'docker') return { kind: 'local' };
  const { images, gpus } = chosen;
  const docker: DockerEngineSpec = {
    kind: 'docker',
    shmSizeMiB: 1,
    gpus: Array.isArray(gpus) ? gpus.map(String) : [],
  };
  return images === 'cpu' || images === 'ngc' ? { ...docker, images } : docker;
}

const cpuOnly = (context: FieldContext): string =>
  engineOf(context).kind === 'local'
    ? 'Needs a GPU and Triton’s own backends; the local Triton has the Python backend on the CPU. Choose Docker with GPUs, or a remote Triton.'
    : 'Needs a GPU and Triton’s own backends; the CPU image has only the Python backend. Choose GPUs where it runs.';

/** Containers with all backends, but without a GPU. */
function lacksGpu(context: FieldContext): boolean {
  const engine = engineOf(context);
  return inContainers(engine) && imageFamily(engine) === 'ngc' && engine.gpus.length === 0;
}

export const servesOnCpu = (context: FieldContext): boolean => backendsOf(engineOf(context)) === 'python';

/** Why this format cannot be built or served where it is to run; undefined when it can. */
export function whyNotFormat(format: Format, context: FieldContext): string | undefined {
  if (format !== 'trt') return undefined;
  const { kind } = engineOf(context);
  return kind === 'docker' && !servesOnCpu(context) && !lacksGpu(context)
    ? undefined
    : 'Built and served on a GPU; choose Docker with GPUs.';
}

/** Why this accelerator cannot serve the choice; undefined when it can. */
export function whyNotAccelerator(accelerator: Accelerator, context: FieldContext): string | undefined {
  if (accelerator === 'none') return undefined;
  if (servesOnCpu(context)) return cpuOnly(context);
  const format = context.value('format') as Format;
  if (accelerator === 'amp' && format !== 'tf-savedmodel') {
    return 'Exists only for TensorFlow’s own format; choose precision FP16 instead.';
  }
  if (accelerator === 'trt' && isOfPytorch(format)) {
    return 'Triton’s PyTorch backend has no TensorRT accelerator; export to ONNX instead.';
  }
  if (accelerator === 'trt' && format === 'trt') {
    return 'A TensorRT plan already uses TensorRT; the accelerator is for ONNX.';
  }
  return lacksGpu(context) ? 'Needs a GPU, but none is selected; choose GPUs where it runs.' : undefined;
}

/** Why the chosen format is not served in this precision; undefined when it is. */
export function whyNotPrecision(precision: Precision, context: FieldContext): string | undefined {
  if (precision !== 'fp16') return undefined;
  const format = formats.find((known) => known === context.value('format'));
  return format === undefined ? undefined : formatFacts[format].fp32Only;
}

export function whyNotGpuInstances(context: FieldContext): string | undefined {
  if (servesOnCpu(context)) return cpuOnly(context);
  return lacksGpu(context) ? 'Needs a GPU, but none is selected; choose GPUs where it runs.' : undefined;
}
