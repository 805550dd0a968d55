import type { GpuFacts } from '../contract/machine';
import { formatBytes } from '../contract/numbers';
import {
  gpusElsewhere,
  notApplicable,
  ok,
  type Outcome,
  type PreflightInput,
  problem,
  warning,
} from './preflight-docker';

const isGpu = (gpu: GpuFacts, id: string): boolean => gpu.uuid === id || String(gpu.index) === id;
const hasMig = (gpu: GpuFacts, id: string): boolean => gpu.mig.devices.some(({ uuid }) => uuid === id);

/** 0 if the driver does not report it. */
const usedShare = (used: number | null, total: number | null): number =>
  used === null || total === null || total === 0 ? 0 : used / total;

/** Lowest load, then most free memory, then the first; null without GPUs. */
export function idlestGpu({ gpus }: Pick<PreflightInput['gpus'], 'gpus'>): GpuFacts | null {
  const [first = null] = gpus.toSorted(
    ({ load: a, ...one }, { load: b, ...other }) =>
      (a.gpuPercent ?? 0) - (b.gpuPercent ?? 0) ||
      usedShare(a.memoryUsedBytes, one.memoryTotalBytes) -
        usedShare(b.memoryUsedBytes, other.memoryTotalBytes) ||
      one.index - other.index,
  );
  return first;
}

/** UUID of the idlest GPU, or of its MIG device with the most free memory. null if unknown. */
export function idlestDevice(report: Pick<PreflightInput['gpus'], 'gpus'>): string | null {
  const gpu = idlestGpu(report);
  if (gpu === null) return null;
  const [slice] = gpu.mig.devices
    .filter(({ uuid }) => uuid !== null)
    .toSorted(
      (a, b) =>
        usedShare(a.memoryUsedBytes, a.memoryTotalBytes) - usedShare(b.memoryUsedBytes, b.memoryTotalBytes),
    );
  return gpu.mig.enabled === true ? (slice?.uuid ?? gpu.uuid) : gpu.uuid;
}

/** The idlest, or all by UUID, so that their number is known. null if unknown; with MIG the driver decides. */
export function chosenDevices(
  ids: readonly string[],
  report: Pick<PreflightInput['gpus'], 'gpus'>,
): readonly string[] | null {
  if (ids.includes('idlest')) {
    const device = idlestDevice(report);
    return device === null ? null : [device];
  }
  if (!ids.includes('all') || report.gpus.some(({ mig }) => mig.enabled === true)) return null;
  const uuids = report.gpus.map(({ uuid }) => uuid).filter((uuid) => uuid !== null);
  return uuids.length > 0 && uuids.length === report.gpus.length ? uuids : null;
}

/** Requested GPUs, by GPU or MIG device; all without a request. */
export function gpusOfPlan({
  gpus,
  plan,
}: {
  readonly gpus: Pick<PreflightInput['gpus'], 'gpus'>;
  readonly plan: Pick<PreflightInput['plan'], 'gpuIds'>;
}): readonly GpuFacts[] {
  if (plan.gpuIds.length === 0 || plan.gpuIds.includes('all')) return gpus.gpus;
  if (plan.gpuIds.includes('idlest')) return [idlestGpu(gpus)].filter((gpu) => gpu !== null);
  return gpus.gpus.filter((gpu) => plan.gpuIds.some((id) => isGpu(gpu, id) || hasMig(gpu, id)));
}

/** Why GPUs cannot be checked, or null. */
export function withoutGpus(input: PreflightInput): string | null {
  const remote = gpusElsewhere(input);
  if (input.plan.images === 'cpu') return 'The CPU images do not use a GPU.';
  if (remote !== null) return `The containers run at ${remote}; the local nvidia-smi does not apply to them.`;
  if (gpusOfPlan(input).length === 0) return 'No GPU to check.';
  return null;
}

export function checkGpus(input: PreflightInput): Outcome {
  const { gpus, plan } = input;
  const remote = gpusElsewhere(input);
  if (remote !== null && (plan.images === 'ngc' || plan.gpuIds.length > 0)) {
    return notApplicable(`Not checked: the containers run at ${remote}. Run nvidia-smi there.`);
  }
  const missing = plan.gpuIds.filter((id) => !isPresent(gpus.gpus, id));
  if (missing.length > 0) return missingGpus(input, missing);
  if (plan.images === 'cpu' && plan.gpuIds.length === 0) {
    const has = gpus.gpus.length === 0 ? 'none' : String(gpus.gpus.length);
    return notApplicable(`The CPU images do not use a GPU; this machine has ${has}.`);
  }
  if (gpus.problem !== null) {
    return warning(
      `The GPUs cannot be detected: ${gpus.problem}`,
      'Run nvidia-smi. If it fails, install or reinstall the NVIDIA driver and restart the machine.',
    );
  }
  if (gpus.gpus.length === 0) {
    return warning(
      'No GPU detected: Triton runs on the CPU, from an image made for GPUs.',
      'Use the CPU images, or a machine with an NVIDIA GPU and driver (nvidia-smi lists its GPUs).',
    );
  }
  return firstFault(input) ?? ok(gpusOfPlan(input).map(describe).join('; '));
}

function isPresent(gpus: readonly GpuFacts[], id: string): boolean {
  if (id === 'all' || id === 'idlest') return gpus.length > 0;
  return gpus.some((gpu) => isGpu(gpu, id) || hasMig(gpu, id));
}

function missingGpus({ gpus }: PreflightInput, missing: readonly string[]): Outcome {
  const known = gpus.gpus.flatMap((gpu) => [
    gpu.uuid ?? `GPU ${String(gpu.index)}`,
    ...gpu.mig.devices.flatMap(({ uuid }) => (uuid === null ? [] : [uuid])),
  ]);
  const has = known.length === 0 ? 'no GPU' : known.join(', ');
  const unnamedMig = gpus.gpus.some(({ mig }) => mig.devices.some(({ uuid }) => uuid === null));
  const asked = `${missing.join(', ')} requested, but this machine has ${has}.`;
  const list = 'Choose a GPU that nvidia-smi -L lists.';
  if (unnamedMig && missing.every((id) => id.startsWith('MIG-'))) {
    return warning(`${asked} The driver does not report the UUIDs of its MIG devices.`, list);
  }
  return problem(gpus.problem === null ? asked : `${asked} ${gpus.problem}`, list);
}

function firstFault({ gpus, plan, ...rest }: PreflightInput): Outcome | null {
  for (const gpu of gpusOfPlan({ gpus, plan, ...rest })) {
    const at = `GPU ${String(gpu.index)} (${gpu.name})`;
    const index = String(gpu.index);
    if (gpu.mig.enabled === true && gpu.mig.devices.length === 0) {
      return problem(
        `${at} is in MIG mode but has no MIG device, so no container can use it.`,
        `Create one (sudo nvidia-smi mig -i ${index} -cgi <profile> -C; nvidia-smi mig -i ${index} -lgip lists profiles), or leave MIG mode: sudo nvidia-smi -i ${index} -mig 0`,
      );
    }
    if (gpu.mig.enabled === true && plan.gpuIds.some((id) => id === 'all' || isGpu(gpu, id))) {
      return warning(
        `${at} is in MIG mode with ${String(gpu.mig.devices.length)} devices; a container that requests the whole GPU gets only one of them.`,
        'Request a MIG device by its UUID: nvidia-smi -L lists them.',
      );
    }
    if ((gpu.ecc.uncorrectedVolatile ?? 0) > 0) {
      return warning(
        `${at} reports ${String(gpu.ecc.uncorrectedVolatile)} uncorrected memory errors since the driver was loaded.`,
        `Restart the machine, and check the GPU again: nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER -i ${index}`,
      );
    }
  }
  return null;
}

function describe(gpu: GpuFacts): string {
  const memory = gpu.memoryTotalBytes === null ? '' : `, ${formatBytes(gpu.memoryTotalBytes)}`;
  const mig = gpu.mig.devices.length === 0 ? '' : `, ${String(gpu.mig.devices.length)} MIG devices`;
  return `GPU ${String(gpu.index)}: ${gpu.name}${memory}${mig}`;
}
