import { isOfPytorch } from '../contract/run/model-formats';
import type { Preset } from '../contract/run/preset';
import type { Format, RunSpec } from '../contract/run/run-spec';
import { backendsOf, editedGroups, imageFamily, instancesText, visibleGpus } from '../contract/run/serving';
import { formatOf } from '../formats/formats';
import { planPlace } from '../formats/trt.format';
import { compareVersions, releaseFault, releaseOf } from '../machine/releases';
import { gpuDefaultsOff, gpuSettings, planText } from './gpu-defaults';
import { note, problem, type RuleFinding, warning } from './rule-finding';

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
        'This Triton runs on the CPU and does not support KIND_GPU instances',
        cpuRemedy,
      ),
    ];
  }
  if (configure.instanceKind !== 'KIND_CPU' || !accelerated || backendsOf(engine) === 'python') return [];
  return [
    unsupported(
      'configure.instanceKind',
      `Backend accelerator "${configure.backendAccelerator}" has no effect on KIND_CPU instances`,
      'Set the instance kind to KIND_GPU or KIND_AUTO, or the backend accelerator to "none".',
    ),
  ];
}

/** What an instance_group that was edited by hand means for the GPUs of the run. */
function editedGroupFindings(spec: RunSpec): RuleFinding[] {
  const groups = editedGroups(spec.configure);
  const visible = visibleGpus(spec.engine);
  if (groups === null || backendsOf(spec.engine) === 'python') return [];
  const at = 'configure.configPatch';
  const count = visible?.length ?? Infinity;
  const absent = groups.flatMap(({ gpus }) => gpus).find((index) => index >= count);
  if (absent !== undefined) {
    return [
      problem(
        at,
        `instance_group names GPU ${absent}, but the container has ${count === 1 ? '1 GPU, numbered 0' : `${count} GPUs, numbered from 0`}`,
        'Number the chosen GPUs from 0, or choose more of them.',
      ),
    ];
  }
  const spreads = groups.some(
    ({ kind, gpus }) => gpus.length === 0 && kind !== 'KIND_CPU' && kind !== 'KIND_MODEL',
  );
  const every =
    spreads && count > 1 ? ' A group without gpus has its instances on every GPU that Triton sees.' : '';
  return [
    note(
      at,
      `The instance_group of config.pbtxt is kept. Model instances: ${instancesText(spec)}.${every}`,
      null,
    ),
  ];
}

/** CUDA opens one MIG device per process. */
function sliceFindings({ engine }: RunSpec): RuleFinding[] {
  if (engine.kind !== 'docker' || new Set(engine.gpus).size < 2 || visibleGpus(engine)?.length !== 1)
    return [];
  if (engine.gpus.includes('idlest')) return [];
  return [
    warning(
      'engine.gpus',
      'CUDA uses one MIG device per process: Triton uses the first of these devices only',
      'Choose one MIG device, or GPUs that are not in MIG mode.',
    ),
  ];
}

/** Why Triton of a release does not serve a format; null where it does. */
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

/** A release that is named, and cannot serve the format or run at all. Where none is named, one that can is chosen. */
function releaseFindings({ engine, format }: RunSpec): RuleFinding[] {
  if (engine.kind !== 'docker' || imageFamily(engine) !== 'ngc') return [];
  const { tritonImage, clientImage, release: named } = engine;
  const at = tritonImage === undefined ? 'engine.release' : 'engine.tritonImage';
  // Of an image that is not NVIDIA's nothing is known.
  const release = tritonImage === undefined ? (named ?? null) : releaseOf(tritonImage);
  const fault = release === null ? null : formatFault(release, format);
  if (fault !== null) return [unsupported(at, fault.reason, fault.remedy)];
  const served = release === null ? null : releaseFault(release, false);
  if (served !== null) {
    return [unsupported(at, `Release ${release ?? ''} cannot be started: ${served.reason}`, served.remedy)];
  }
  const client = named === undefined ? null : releaseFault(named, clientImage === undefined);
  return client === null
    ? []
    : [
        unsupported(
          'engine.release',
          `Release ${named ?? ''} cannot be used: ${client.reason}`,
          client.remedy,
        ),
      ];
}

/** Backends of Triton's own that do not batch every format. */
function batchFindings({ engine, format, configure }: RunSpec): RuleFinding[] {
  const { nativeMaxBatchSize: most, title } = formatOf(format);
  if (most === undefined || backendsOf(engine) === 'python' || configure.maxBatchSize <= most) return [];
  return [
    unsupported(
      'configure.maxBatchSize',
      `Triton's own backend serves ${title} up to batch size ${most}, not ${configure.maxBatchSize}`,
      `Set the maximum batch size to ${most}, or choose another format.`,
    ),
  ];
}

/** An own model file that is served without batches, with axes that vary: nobody says for which sizes to build a plan. */
const isOfVaryingSize = ({ source }: RunSpec['model']): boolean =>
  source?.batched === false && source.inputs.some(({ shape }) => shape.includes(-1));

/** A plan needs a GPU to be built and to be served, here and not behind an address. */
function planFindings(spec: RunSpec): RuleFinding[] {
  const { engine, configure } = spec;
  if (engine.kind !== 'docker' || imageFamily(engine) === 'cpu' || engine.gpus.length === 0) {
    return [unsupported('format', planPlace.reason, planPlace.remedy)];
  }
  if (isOfVaryingSize(spec.model)) {
    return [
      unsupported(
        'format',
        'A TensorRT plan of a model without a batch axis needs inputs of fixed sizes',
        'Choose the format ONNX, or export the model with a batch axis that varies.',
      ),
    ];
  }
  return configure.instanceKind === 'KIND_CPU'
    ? [
        unsupported(
          'configure.instanceKind',
          'A TensorRT plan does not support KIND_CPU instances',
          'Set the instance kind to KIND_GPU or KIND_AUTO.',
        ),
      ]
    : [];
}

/** Accelerator × format × engine × precision, instance kind and CUDA graphs: what cannot work, and what is slow. */
export function accelerationProblems(spec: RunSpec): RuleFinding[] {
  const { configure, engine, precision } = spec;
  const found: RuleFinding[] = spec.format === 'trt' ? planFindings(spec) : [];
  if (found.length > 0) return found;
  const backends = backendsOf(engine);
  const accelerator = configure.backendAccelerator;
  const serving = formatOf(spec.format).servedBy({ backends, precision, accelerator });
  if (!serving.ok) {
    found.push(unsupported(serving.field ?? 'configure.backendAccelerator', serving.reason, serving.remedy));
  } else if (accelerator !== 'none' && lacksGpus(spec)) {
    found.push(
      unsupported(
        'configure.backendAccelerator',
        `Backend accelerator "${accelerator}" needs a GPU, but the container has none`,
        'Choose GPUs, or set the backend accelerator to "none".',
      ),
    );
  }
  if (configure.captureCudaGraph && accelerator !== 'trt' && spec.format !== 'trt') {
    found.push(
      unsupported(
        'configure.captureCudaGraph',
        'Only TensorRT captures CUDA graphs',
        'Turn it off, or choose backend accelerator "trt" or the format trt.',
      ),
    );
  }
  found.push(...releaseFindings(spec), ...instanceFindings(spec), ...editedGroupFindings(spec));
  found.push(...sliceFindings(spec), ...batchFindings(spec));
  if (precision === 'fp16' && isOfPytorch(spec.format) && (backends === 'python' || lacksGpus(spec))) {
    found.push(
      warning(
        'precision',
        'On the CPU, PyTorch computes float16 convolutions many times slower than float32 convolutions',
        'Choose fp32, the format ONNX, or an engine with GPUs.',
      ),
    );
  }
  return found;
}

const field = 'targetGpu';

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

/** Where the defaults of a chosen GPU come from, and which of them are not taken. */
export function gpuFindings(preset: Preset, { targetGpu, model, engine, format }: RunSpec): RuleFinding[] {
  if (targetGpu === undefined) return [];
  const known = Object.keys(preset.byGpu ?? {});
  if (preset.byGpu?.[targetGpu] === undefined) {
    return [
      problem(
        field,
        `No defaults are published for ${preset.title} on ${targetGpu}`,
        known.length === 0 ? 'Choose no GPU.' : `Choose ${known.join(', ')}, or none.`,
        'combination-unsupported',
      ),
    ];
  }
  const document = preset.origin.deployment ?? 'its published deployment';
  switch (gpuDefaultsOff(model.profile, engine)) {
    case null:
      return [
        note(
          field,
          `Unless you change them, format, precision, batch sizes, instances and loads are those published for ${targetGpu}: ${document}`,
          null,
        ),
      ];
    case 'quick':
      return [
        note(
          field,
          `The published defaults of ${targetGpu} apply only to the profile full. The profile quick shows only its published figures beside the measured ones`,
          'To use them, choose the profile full.',
        ),
      ];
    case 'cpu': {
      const without = gpuSettings(preset, targetGpu, format);
      const left =
        without.length === 0
          ? ''
          : `; ${listed(without)} ${without.length === 1 ? 'needs the GPU and is' : 'need the GPU and are'} not used`;
      return [
        note(
          field,
          `Unless you change them, batch sizes, instances and loads are those published for ${targetGpu}: ${document}; the model is served without a GPU${left}`,
          without.includes(planText)
            ? 'To use all of them, choose the engine "docker" with GPUs.'
            : 'To use all of them, choose the engine "docker" with GPUs, or "remote".',
        ),
      ];
    }
  }
}
