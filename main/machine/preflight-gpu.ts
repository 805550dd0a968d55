import type { GpuFacts } from '../contract/machine';
import type { PreflightInput } from './preflight-input';
import type { Outcome } from './preflight-outcome';
import { formatBytes } from '../contract/numbers';
import { notApplicable, ok, problem, warning } from './preflight-outcome';
import { remoteHost } from './preflight-docker';

const isGpu = (gpu: GpuFacts, id: string): boolean => gpu.uuid === id || String(gpu.index) === id;
const hasMig = (gpu: GpuFacts, id: string): boolean => gpu.mig.devices.some(({ uuid }) => uuid === id);

/** The GPUs that the plan asks for, by GPU or by MIG device; all of them where it asks for none. */
export function gpusOfPlan({ gpus, plan }: PreflightInput): readonly GpuFacts[] {
  if (plan.gpuIds.length === 0 || plan.gpuIds.includes('all')) return gpus.gpus;
  return gpus.gpus.filter((gpu) => plan.gpuIds.some((id) => isGpu(gpu, id) || hasMig(gpu, id)));
}

/** Why nothing can be said of the GPUs that the plan would use; null where something can. */
export function withoutGpus(input: PreflightInput): string | null {
  const remote = remoteHost(input.docker);
  if (input.plan.images === 'cpu') return 'The CPU images do not use a GPU.';
  if (remote !== null) return `The containers run at ${remote}; what nvidia-smi says here is not about them.`;
  if (gpusOfPlan(input).length === 0) return 'There is no GPU to check.';
  return null;
}

export function checkGpus(input: PreflightInput): Outcome {
  const { gpus, plan, docker } = input;
  const remote = remoteHost(docker);
  if (remote !== null && (plan.images === 'ngc' || plan.gpuIds.length > 0)) {
    return notApplicable(
      `The containers run at ${remote}: run nvidia-smi there, it is not looked at from here.`,
    );
  }
  const missing = plan.gpuIds.filter((id) => !isPresent(gpus.gpus, id));
  if (missing.length > 0) return missingGpus(input, missing);
  if (plan.images === 'cpu' && plan.gpuIds.length === 0) {
    return notApplicable(`The CPU images use no GPU; this machine has ${String(gpus.gpus.length)}.`);
  }
  if (gpus.problem !== null) {
    return warning(
      `The GPUs cannot be told: ${gpus.problem}`,
      'Run nvidia-smi; where it fails, install or reinstall the NVIDIA driver and restart the machine.',
    );
  }
  if (gpus.gpus.length === 0) {
    return warning(
      'No GPU was found: Triton runs on the processor, from an image made for GPUs.',
      'Take the CPU images, or a machine with an NVIDIA GPU and driver (nvidia-smi lists its GPUs).',
    );
  }
  return firstFault(input) ?? ok(gpusOfPlan(input).map(describe).join('; '));
}

function isPresent(gpus: readonly GpuFacts[], id: string): boolean {
  if (id === 'all') return gpus.length > 0;
  return gpus.some((gpu) => isGpu(gpu, id) || hasMig(gpu, id));
}

function missingGpus({ gpus }: PreflightInput, missing: readonly string[]): Outcome {
  const known = gpus.gpus.flatMap((gpu) => [
    gpu.uuid ?? `GPU ${String(gpu.index)}`,
    ...gpu.mig.devices.flatMap(({ uuid }) => (uuid === null ? [] : [uuid])),
  ]);
  const has = known.length === 0 ? 'no GPU' : known.join(', ');
  const unnamedMig = gpus.gpus.some(({ mig }) => mig.devices.some(({ uuid }) => uuid === null));
  const asked = `Asked for ${missing.join(', ')}; this machine has ${has}.`;
  const list = 'Choose from what nvidia-smi -L lists.';
  if (unnamedMig && missing.every((id) => id.startsWith('MIG-'))) {
    return warning(`${asked} The driver does not say the UUIDs of its MIG devices.`, list);
  }
  return problem(gpus.problem === null ? asked : `${asked} ${gpus.problem}`, list);
}

/** What is wrong with a GPU that is there. */
function firstFault({ gpus, plan, ...rest }: PreflightInput): Outcome | null {
  for (const gpu of gpusOfPlan({ gpus, plan, ...rest })) {
    const at = `GPU ${String(gpu.index)} (${gpu.name})`;
    const index = String(gpu.index);
    if (gpu.mig.enabled === true && gpu.mig.devices.length === 0) {
      return problem(
        `${at} is in MIG mode and has no MIG device: no container can use it.`,
        `Make one (sudo nvidia-smi mig -i ${index} -cgi <profile> -C; nvidia-smi mig -i ${index} -lgip lists profiles), or leave MIG mode: sudo nvidia-smi -i ${index} -mig 0`,
      );
    }
    if (gpu.mig.enabled === true && plan.gpuIds.some((id) => id === 'all' || isGpu(gpu, id))) {
      return warning(
        `${at} is in MIG mode with ${String(gpu.mig.devices.length)} devices; asked for as a whole, a container gets only one of them.`,
        'Ask for a MIG device by its UUID: nvidia-smi -L lists them.',
      );
    }
    if ((gpu.ecc.uncorrectedVolatile ?? 0) > 0) {
      return warning(
        `${at} counts ${String(gpu.ecc.uncorrectedVolatile)} uncorrected memory errors since the driver was loaded.`,
        `Restart the machine, and see what the GPU reports: nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER -i ${index}`,
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
