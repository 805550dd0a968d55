import {
  backendsOf,
  engineDraft,
  imageFamily,
  inContainers,
  isProcess,
} from '../../../../main/contract/run/engine-kinds';
import { formatFacts, formats, isOfPytorch } from '../../../../main/contract/run/model-formats';
import type { Accelerator, Format, Precision } from '../../../../main/contract/run/run-spec';
import type { FieldContext } from './field';

export const engineOf = ({ value }: FieldContext) => engineDraft(value('engine'));

const cpuOnly = (context: FieldContext): string =>
  isProcess(engineOf(context))
    ? 'Needs a GPU and Triton’s own backends; the local Triton has the Python backend on the CPU. Choose Docker with GPUs, or a remote Triton.'
    : 'Needs a GPU and Triton’s own backends; the CPU image has only the Python backend. Choose GPUs where it runs.';

function lacksGpu(context: FieldContext): boolean {
  const engine = engineOf(context);
  return inContainers(engine) && imageFamily(engine) === 'ngc' && engine.gpus.length === 0;
}

export const servesOnCpu = (context: FieldContext): boolean => backendsOf(engineOf(context)) === 'python';

/** undefined: it can be built and served. */
export function whyNotFormat(format: Format, context: FieldContext): string | undefined {
  if (format !== 'trt') return undefined;
  return inContainers(engineOf(context)) && !servesOnCpu(context) && !lacksGpu(context)
    ? undefined
    : 'Built and served on a GPU; choose Docker with GPUs.';
}

/** undefined: it can serve the choice. */
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

/** undefined: it is served. */
export function whyNotPrecision(precision: Precision, context: FieldContext): string | undefined {
  if (precision !== 'fp16') return undefined;
  const format = formats.find((known) => known === context.value('format'));
  return format === undefined ? undefined : formatFacts[format].fp32Only;
}

export function whyNotGpuInstances(context: FieldContext): string | undefined {
  if (servesOnCpu(context)) return cpuOnly(context);
  return lacksGpu(context) ? 'Needs a GPU, but none is selected; choose GPUs where it runs.' : undefined;
}
