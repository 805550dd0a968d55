import { backendsOf, imageFamily, inContainers, visibleGpus } from '../contract/run/engine-kinds';
import { isOfPytorch } from '../contract/run/model-formats';
import type { Preset } from '../contract/run/preset';
import { type Format, repositoryOf, type RunSpec } from '../contract/run/run-spec';
import {
  allOf,
  type Found,
  note,
  problem,
  type RuleFinding,
  unsupported,
  warning,
} from '../domain/run/rule-finding';
import { editedGroups, instancesText } from '../domain/run/serving';
import { formatOf } from '../formats/formats';
import { planPlace } from '../formats/trt.format';
import { compareVersions, releaseFault, releaseOf } from '../machine/releases';
import { gpuDefaultsOff, gpuSettings, planText } from './gpu-defaults';

const cpuRemedy =
  'Set the instance kind to KIND_CPU or KIND_AUTO, or choose the engine "docker" with GPUs, or "remote".';

/** Images with every backend, without GPUs. */
export function lacksGpus({ engine }: Pick<RunSpec, 'engine'>): boolean {
  return inContainers(engine) && imageFamily(engine) === 'ngc' && engine.gpus.length === 0;
}

function instanceFindings(spec: RunSpec): Found {
  const { configure, engine } = spec;
  // Those of a repository have their line in config.pbtxt.
  if (repositoryOf(spec.model) !== null) return null;
  const accelerated = configure.backendAccelerator !== 'none';
  if (configure.instanceKind === 'KIND_GPU' && (backendsOf(engine) === 'python' || lacksGpus(spec))) {
    return unsupported(
      'configure.instanceKind',
      'This Triton runs on the CPU and does not support KIND_GPU instances',
      cpuRemedy,
    );
  }
  if (configure.instanceKind !== 'KIND_CPU' || !accelerated || backendsOf(engine) === 'python') return null;
  return unsupported(
    'configure.instanceKind',
    `Backend accelerator "${configure.backendAccelerator}" has no effect on KIND_CPU instances`,
    'Set the instance kind to KIND_GPU or KIND_AUTO, or the backend accelerator to "none".',
  );
}

/** Effect of an edited instance_group on the run's GPUs. */
function editedGroupFindings(spec: RunSpec): Found {
  const groups = editedGroups(spec.configure);
  const visible = visibleGpus(spec.engine);
  if (groups === null || backendsOf(spec.engine) === 'python') return null;
  const at = 'configure.configPatch';
  const count = visible?.length ?? Infinity;
  const absent = groups.flatMap(({ gpus }) => gpus).find((index) => index >= count);
  if (absent !== undefined) {
    return problem(
      at,
      `instance_group names GPU ${absent}, but the container has ${count === 1 ? '1 GPU, numbered 0' : `${count} GPUs, numbered from 0`}`,
      'Number the chosen GPUs from 0, or choose more of them.',
    );
  }
  const spreads = groups.some(
    ({ kind, gpus }) => gpus.length === 0 && kind !== 'KIND_CPU' && kind !== 'KIND_MODEL',
  );
  const every =
    spreads && count > 1 ? ' A group without gpus has its instances on every GPU that Triton sees.' : '';
  const kept = `The instance_group of config.pbtxt is kept. Model instances: ${instancesText(spec)}.${every}`;
  return note(at, kept, null);
}

/** CUDA opens one MIG device per process. */
function sliceFindings({ engine }: RunSpec): Found {
  if (!inContainers(engine) || new Set(engine.gpus).size < 2 || visibleGpus(engine)?.length !== 1)
    return null;
  if (engine.gpus.includes('idlest')) return null;
  return warning(
    'engine.gpus',
    'CUDA uses one MIG device per process: Triton uses the first of these devices only',
    'Choose one MIG device, or GPUs that are not in MIG mode.',
  );
}

/** Why a release does not serve a format; null where it does. */
function formatFault(
  release: string,
  format: Format,
): { readonly reason: string; readonly remedy: string } | null {
  const { newestNgcRelease: newest, oldestNgcRelease: oldest, title } = formatOf(format);
  if (newest !== undefined && compareVersions(release, newest) > 0) {
    return {
      reason: `Triton release ${release} has no backend for ${title}; ${newest} was the last release with one`,
      remedy: `Choose release ${newest} or older, or the format ONNX.`,
    };
  }
  if (oldest !== undefined && compareVersions(release, oldest) < 0) {
    return {
      reason: `Triton release ${release} does not serve ${title}; ${oldest} is the first release that does`,
      remedy: `Choose release ${oldest} or later, or another format.`,
    };
  }
  return null;
}

/** A named release that cannot serve the format or run at all; an unnamed one is chosen to fit. */
function releaseFindings({ engine, format }: RunSpec): Found {
  if (!inContainers(engine) || imageFamily(engine) !== 'ngc') return null;
  const { tritonImage, clientImage, release: named } = engine;
  const at = tritonImage === undefined ? 'engine.release' : 'engine.tritonImage';
  // Nothing is known of images that are not NVIDIA's.
  const release = tritonImage === undefined ? (named ?? null) : releaseOf(tritonImage);
  const fault = release === null ? null : formatFault(release, format);
  if (fault !== null) return unsupported(at, fault.reason, fault.remedy);
  const served = release === null ? null : releaseFault(release, false);
  if (served !== null) {
    return unsupported(at, `Release ${release ?? ''} cannot be started: ${served.reason}`, served.remedy);
  }
  const client = named === undefined ? null : releaseFault(named, clientImage === undefined);
  if (client === null) return null;
  const message = `Release ${named ?? ''} cannot be used: ${client.reason}`;
  return unsupported('engine.release', message, client.remedy);
}

/** Triton's own backends do not batch every format. */
function batchFindings({ engine, format, configure }: RunSpec): Found {
  const { nativeMaxBatchSize: most, title } = formatOf(format);
  if (most === undefined || backendsOf(engine) === 'python' || configure.maxBatchSize <= most) return null;
  return unsupported(
    'configure.maxBatchSize',
    `Triton's own backend serves ${title} up to batch size ${most}, not ${configure.maxBatchSize}`,
    `Set the maximum batch size to ${most}, or choose another format.`,
  );
}

/** An own model file without batching and with dynamic axes: the plan's sizes are unknown. */
const isOfVaryingSize = ({ source }: RunSpec['model']): boolean =>
  source?.batched === false && source.inputs.some(({ shape }) => shape.includes(-1));

/** A plan is built and served on a local GPU, not behind an address. */
function planFinding(spec: RunSpec): RuleFinding | null {
  const { engine, configure } = spec;
  if (!inContainers(engine) || imageFamily(engine) === 'cpu' || engine.gpus.length === 0) {
    return unsupported('format', planPlace.reason, planPlace.remedy);
  }
  if (isOfVaryingSize(spec.model)) {
    return unsupported(
      'format',
      'A TensorRT plan of a model without a batch axis needs inputs of fixed sizes',
      'Choose the format ONNX, or export the model with a batch axis that varies.',
    );
  }
  if (configure.instanceKind !== 'KIND_CPU') return null;
  return unsupported(
    'configure.instanceKind',
    'A TensorRT plan does not support KIND_CPU instances',
    'Set the instance kind to KIND_GPU or KIND_AUTO.',
  );
}

function servingFindings(spec: RunSpec): Found {
  const { configure, engine, precision } = spec;
  const { backendAccelerator: accelerator } = configure;
  const serving = formatOf(spec.format).servedBy({ backends: backendsOf(engine), precision, accelerator });
  if (!serving.ok) {
    return unsupported(serving.field ?? 'configure.backendAccelerator', serving.reason, serving.remedy);
  }
  if (accelerator === 'none' || !lacksGpus(spec)) return null;
  return unsupported(
    'configure.backendAccelerator',
    `Backend accelerator "${accelerator}" needs a GPU, but the container has none`,
    'Choose GPUs, or set the backend accelerator to "none".',
  );
}

/** Accelerator × format × engine × precision, instance kind and CUDA graphs: impossible and slow combinations. */
export function accelerationProblems(spec: RunSpec): Found {
  const { configure, engine, precision, format } = spec;
  const plan = format === 'trt' ? planFinding(spec) : null;
  if (plan !== null) return plan;
  const usesTensorRt = configure.backendAccelerator === 'trt' || format === 'trt';
  const isOnCpu = backendsOf(engine) === 'python' || lacksGpus(spec);
  return allOf(
    servingFindings(spec),
    configure.captureCudaGraph &&
      !usesTensorRt &&
      unsupported(
        'configure.captureCudaGraph',
        'Only TensorRT captures CUDA graphs',
        'Turn it off, or choose backend accelerator "trt" or the format trt.',
      ),
    releaseFindings(spec),
    instanceFindings(spec),
    editedGroupFindings(spec),
    sliceFindings(spec),
    batchFindings(spec),
    precision === 'fp16' &&
      isOfPytorch(format) &&
      isOnCpu &&
      warning(
        'precision',
        'On the CPU, PyTorch computes float16 convolutions many times slower than float32 convolutions',
        'Choose fp32, the format ONNX, or an engine with GPUs.',
      ),
  );
}

const field = 'targetGpu';

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

/** Origin of a chosen GPU's defaults, and those not applied. */
export function gpuFindings(preset: Preset, { targetGpu, model, engine, format }: RunSpec): Found {
  if (targetGpu === undefined) return null;
  const known = Object.keys(preset.byGpu ?? {});
  if (preset.byGpu?.[targetGpu] === undefined) {
    return unsupported(
      field,
      `No defaults are published for ${preset.title} on ${targetGpu}`,
      known.length === 0 ? 'Choose no GPU.' : `Choose ${known.join(', ')}, or none.`,
    );
  }
  const document = preset.origin.deployment ?? 'its published deployment';
  switch (gpuDefaultsOff(model.profile, engine)) {
    case null:
      return note(
        field,
        `Unless you change them, format, precision, batch sizes, instances and loads are those published for ${targetGpu}: ${document}`,
        null,
      );
    case 'quick':
      return note(
        field,
        `The published defaults of ${targetGpu} apply only to the profile full. The profile quick shows only its published figures beside the measured ones`,
        'To use them, choose the profile full.',
      );
    case 'cpu': {
      const without = gpuSettings(preset, targetGpu, format);
      const left =
        without.length === 0
          ? ''
          : `; ${listed(without)} ${without.length === 1 ? 'needs the GPU and is' : 'need the GPU and are'} not used`;
      return note(
        field,
        `Unless you change them, batch sizes, instances and loads are those published for ${targetGpu}: ${document}; the model is served without a GPU${left}`,
        without.includes(planText)
          ? 'To use all of them, choose the engine "docker" with GPUs.'
          : 'To use all of them, choose the engine "docker" with GPUs, or "remote".',
      );
    }
  }
}
