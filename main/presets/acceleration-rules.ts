import type { RunSpec } from '../contract/run-spec';
import { backendsOf, imageFamily } from '../contract/serving';
import { formatOf } from '../formats/formats';
import { problem, warning } from './rule-finding';
import type { RuleFinding } from './rule-finding';

const cpuRemedy =
  'Set the instance kind to KIND_CPU or KIND_AUTO, or choose the engine "docker" with GPUs, or "remote".';

const unsupported = (field: string, message: string, remedy: string) =>
  problem(field, message, remedy, 'combination-unsupported');

/** Images with every backend, but no GPU given to them. */
function lacksGpus({ engine }: RunSpec): boolean {
  return engine.kind === 'docker' && imageFamily(engine) === 'ngc' && engine.gpus.length === 0;
}

function instanceFindings(spec: RunSpec): RuleFinding[] {
  const { configure, engine } = spec;
  const accelerated = configure.backendAccelerator !== 'none';
  if (configure.instanceKind === 'KIND_GPU' && (backendsOf(engine) === 'python' || lacksGpus(spec))) {
    return [
      unsupported(
        'configure.instanceKind',
        'This Triton runs on CPU and has no instances of KIND_GPU',
        cpuRemedy,
      ),
    ];
  }
  if (configure.instanceKind !== 'KIND_CPU' || !accelerated || backendsOf(engine) === 'python') return [];
  return [
    unsupported(
      'configure.instanceKind',
      `Backend accelerator "${configure.backendAccelerator}" does nothing for instances of KIND_CPU`,
      'Set the instance kind to KIND_GPU or KIND_AUTO, or the backend accelerator to "none".',
    ),
  ];
}

/** Accelerator × format × engine × precision, instance kind and CUDA graphs: what cannot work, and what is slow. */
export function accelerationProblems(spec: RunSpec): RuleFinding[] {
  const { configure, engine, precision } = spec;
  const found: RuleFinding[] = [];
  const backends = backendsOf(engine);
  const accelerator = configure.backendAccelerator;
  const serving = formatOf(spec.format).servedBy({ backends, precision, accelerator });
  if (!serving.ok) {
    found.push(unsupported('configure.backendAccelerator', serving.reason, serving.remedy));
  } else if (accelerator !== 'none' && lacksGpus(spec)) {
    found.push(
      unsupported(
        'configure.backendAccelerator',
        `Backend accelerator "${accelerator}" needs a GPU, and none is given to the container`,
        'Choose GPUs, or set the backend accelerator to "none".',
      ),
    );
  }
  if (configure.captureCudaGraph && accelerator !== 'trt') {
    found.push(
      unsupported(
        'configure.captureCudaGraph',
        'CUDA graphs are captured by TensorRT only',
        'Turn it off, or choose backend accelerator "trt".',
      ),
    );
  }
  found.push(...instanceFindings(spec));
  if (precision === 'fp16' && spec.format !== 'onnx' && (backends === 'python' || lacksGpus(spec))) {
    found.push(
      warning(
        'precision',
        'PyTorch computes float16 convolutions on CPU many times slower than float32 ones',
        'Choose fp32, the format ONNX, or an engine with GPUs.',
      ),
    );
  }
  return found;
}
