import { cdiNames, gpuAccessOf, writeCdiSpec } from '../docker/gpu-access';
import {
  gpusElsewhere,
  notApplicable,
  ok,
  type Outcome,
  type PreflightInput,
  problem,
  remoteHost,
  unreachable,
  warning,
} from './preflight-docker';
import { chosenDevices } from './preflight-gpu';

type Reached = Extract<PreflightInput['docker'], { reachable: true }>;

const install = `install the NVIDIA Container Toolkit (package nvidia-container-toolkit from NVIDIA's repository)`;

/** Requested ids; UUIDs if GPUs are known. */
const askedOf = ({ plan, gpus }: PreflightInput): readonly string[] =>
  chosenDevices(plan.gpuIds, gpus) ?? plan.gpuIds;

/** For engines with CDI only. */
function checkCdi(input: PreflightInput, docker: Reached, where: string): Outcome {
  const asked = askedOf(input);
  const { cdiDevices } = docker;
  if (cdiDevices === null) {
    const names = cdiNames(asked, null) ?? [];
    return warning(
      `Docker ${docker.serverVersion} uses CDI, but does not list its devices.`,
      `${where}check that nvidia-ctk cdi list shows ${names.length === 0 ? 'the GPUs' : names.join(', ')}; if not: ${writeCdiSpec}`,
    );
  }
  const found = cdiDevices.filter((name) => name.startsWith('nvidia.com/gpu='));
  if (cdiNames(asked, cdiDevices) !== null)
    return ok(`Docker provides GPUs through CDI: ${found.join(', ')}.`);
  return problem(
    `Docker's CDI devices do not include ${asked.join(', ')}. It has: ${found.join(', ')}.`,
    `${where}write the CDI specification again, which also applies after each change of MIG devices: ${writeCdiSpec}`,
  );
}

/** GPUs need NVIDIA's hook or CDI. */
export function checkContainerToolkit(input: PreflightInput): Outcome {
  const { docker, gpus, plan } = input;
  if (plan.images === 'cpu' && plan.gpuIds.length === 0)
    return notApplicable('The CPU images do not use a GPU.');
  if (!docker.reachable) return unreachable(docker);
  const remote = remoteHost(docker);
  const where = remote === null ? '' : `On ${remote}: `;
  if (gpuAccessOf(docker) === 'cdi') return checkCdi(input, docker, where);
  if (docker.runtimes.includes('nvidia')) {
    return docker.nvidiaHook === false
      ? warning(
          'Docker has the "nvidia" runtime, but nvidia-container-runtime-hook, which it starts for GPUs, is not in the usual folders.',
          `If containers fail with "could not select device driver", ${install}, then: sudo systemctl restart docker`,
        )
      : ok('Docker has the "nvidia" runtime.');
  }
  if (docker.nvidiaHook === true) {
    return ok('Docker gives containers GPUs through nvidia-container-runtime-hook.');
  }
  const noGpu = gpus.gpus.length === 0 && gpus.problem === null;
  if (gpusElsewhere(input) === null && noGpu && plan.gpuIds.length === 0) {
    return notApplicable('The machine has no GPU for containers.');
  }
  return problem(
    `Docker has neither the "nvidia" runtime nor CDI devices; its runtimes are: ${docker.runtimes.join(', ') || 'none'}.`,
    `${where}${install}, then: ${configureRuntime(docker.rootless)}`,
  );
}

function configureRuntime(rootless: boolean): string {
  return rootless
    ? 'nvidia-ctk runtime configure --runtime=docker --config=$HOME/.config/docker/daemon.json && systemctl --user restart docker && sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups --in-place'
    : 'sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker';
}
