import {
  type Check,
  type CheckId,
  checkIds,
  type DockerFacts,
  type EngineStatus,
  type GpuReport,
  type MachineStatus,
  type ToolFacts,
  toolList,
} from '../contract/machine';
import type { Environment } from '../contract/measured/results';
import { formatBytes, formatCount } from '../contract/numbers';
import { cdiNames, gpuAccessOf, writeCdiSpec } from '../docker/gpu-access';
import { readHostFacts } from './environment';
import { readGpus } from './gpu-report';
import {
  checkDocker,
  checkDockerApi,
  checkDockerPermission,
  gpusElsewhere,
  notApplicable,
  ok,
  type Outcome,
  type PreflightInput,
  type PreflightPlan,
  problem,
  remoteHost,
  unreachable,
  warning,
} from './preflight-docker';
import { checkComputeCapability, checkDriver } from './preflight-driver';
import { checkGpus, chosenDevices } from './preflight-gpu';
import { checkSecurityFloor, checkTensorFlowBackend, checkTensorRtPlan } from './preflight-image';
import { readReleases } from './releases';

type Reached = Extract<PreflightInput['docker'], { reachable: true }>;

const install = `install the NVIDIA Container Toolkit (package nvidia-container-toolkit from NVIDIA's repository)`;

/** For engines with CDI only. */
function checkCdi(input: PreflightInput, docker: Reached, where: string): Outcome {
  const asked = chosenDevices(input.plan.gpuIds, input.gpus) ?? input.plan.gpuIds;
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
function checkContainerToolkit(input: PreflightInput): Outcome {
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

/** Reserve for unpacking layers, models and results. */
const reserveBytes = 2 * 2 ** 30;
/** Docker's default; the Python backend alone can fill it. */
const dockerDefaultShmMiB = 64;
const mebibyte = 2 ** 20;

function checkDisk({ docker, host, plan }: PreflightInput): Outcome {
  const needed = plan.imageBytesNeeded;
  const lines: string[] = [];
  if (docker.reachable && docker.rootFreeBytes !== null) {
    const free = docker.rootFreeBytes;
    const line =
      needed === 0
        ? `${docker.rootDir}: ${formatBytes(free)} free, all images are present`
        : `${docker.rootDir}: ${formatBytes(free)} free, the images need ${formatBytes(needed)}`;
    const prune = `docker image prune -a removes the images that no container uses (docker system df shows the usage), or move Docker's data-root to a larger disk`;
    if (free < needed) {
      return problem(
        `${line}; ${formatBytes(needed - free)} more are needed.`,
        `Free some disk space: ${prune}.`,
      );
    }
    if (free < needed + reserveBytes) {
      return warning(
        `${line}; less than ${formatBytes(reserveBytes)} would be left.`,
        `Free some disk space: ${prune}.`,
      );
    }
    lines.push(line);
  }
  for (const { path, freeBytes } of host.disks) {
    // No second line for Docker's folder on the same disk.
    if (docker.reachable && docker.rootFreeBytes !== null && path === docker.rootDir && lines.length > 0)
      continue;
    const line = `${path}: ${formatBytes(freeBytes)} free`;
    if (freeBytes < reserveBytes) {
      return warning(
        `${line}, less than the ${formatBytes(reserveBytes)} that runs may write.`,
        `Free some disk space: du -xh --max-depth=1 ${path} | sort -h shows what uses it.`,
      );
    }
    lines.push(line);
  }
  return lines.length === 0 ? notApplicable('The free disk space is unknown.') : ok(`${lines.join('; ')}.`);
}

/** A container's /dev/shm is limited by machine memory, not by the host's /dev/shm. */
function checkSharedMemory({ docker, host, plan }: PreflightInput): Outcome {
  const asked = `The Triton container gets ${formatCount(plan.shmSizeMiB)} MiB of /dev/shm`;
  if (plan.shmSizeMiB <= dockerDefaultShmMiB) {
    return warning(
      `${asked}, no more than Docker's default: models of the Python backend fail on large tensors.`,
      'Set it to 1 GiB: --set engine.shmSizeMiB=1024',
    );
  }
  const remote = remoteHost(docker);
  if (remote !== null) return ok(`${asked}, at ${remote}.`);
  const free = host.memoryFreeBytes;
  const line = `${asked}; this machine has ${formatBytes(free)} of memory free`;
  const fitMiB = Math.max(dockerDefaultShmMiB * 2, Math.floor(free / 2 / mebibyte));
  if (plan.shmSizeMiB * mebibyte > free) {
    return problem(
      `${line}, which is less: the container can be killed when it fills /dev/shm.`,
      `Free memory (ps aux --sort=-rss | head shows what uses it), or request less: --set engine.shmSizeMiB=${String(fitMiB)}`,
    );
  }
  const own = host.sharedMemoryBytes;
  return ok(
    own === null ? `${line}.` : `${line}, and a /dev/shm of ${formatBytes(own)} outside of containers.`,
  );
}

function checkPorts({ docker, plan }: PreflightInput): Outcome {
  const remote = remoteHost(docker);
  if (plan.requestedPorts.length === 0)
    return notApplicable('No fixed ports requested: the engine uses free ports.');
  if (remote !== null) return notApplicable(`Not checked: the ports are at ${remote}.`);
  const taken = plan.requestedPorts.filter(({ free }) => !free);
  if (taken.length === 0) {
    return ok(`Free: ${plan.requestedPorts.map(({ port }) => String(port)).join(', ')}.`);
  }
  const who = taken.map(
    ({ port, owner }) => `port ${String(port)} is used by ${owner ?? 'an unknown process'}`,
  );
  const filter = taken.map(({ port }) => `sport = :${String(port)}`).join(' or ');
  return problem(
    `${sentence(who.join(', '))}.`,
    `Stop the process (sudo ss -ltnp '${filter}' shows it), choose another port, or leave the port empty to use a free port.`,
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function checkTools({ tools, docker }: PreflightInput): Outcome {
  if (tools === null) return notApplicable('Containers include their own Triton and Python.');
  const { missing, installable } = tools;
  if (missing.length === 0) return ok('Triton, perf_analyzer and the Python environment are installed.');
  const finding = `Not installed: ${toolList(missing)}.`;
  const install = installable
    ? 'Install the missing tools (triton-workbench setup)'
    : 'They can be installed on Linux only: measure a Triton that is already running';
  // Needed only if chosen as load tool.
  if (missing.every((tool) => tool === 'perf-analyzer')) {
    return warning(finding, `${install}, or use the built-in load generator.`);
  }
  return problem(finding, docker.reachable ? `${install}, or run in Docker containers.` : `${install}.`);
}

const checks: Readonly<
  Record<CheckId, { readonly title: string; readonly run: (input: PreflightInput) => Outcome }>
> = {
  tools: { title: 'Workbench tools', run: checkTools },
  gpus: { title: 'GPUs', run: checkGpus },
  driver: { title: 'NVIDIA driver', run: checkDriver },
  'compute-capability': { title: 'Compute capability', run: checkComputeCapability },
  docker: { title: 'Docker Engine', run: checkDocker },
  'docker-permission': { title: 'Docker permission', run: checkDockerPermission },
  'docker-api': { title: 'Docker API version', run: checkDockerApi },
  'container-toolkit': { title: 'NVIDIA Container Toolkit', run: checkContainerToolkit },
  disk: { title: 'Disk space', run: checkDisk },
  'shared-memory': { title: 'Shared memory', run: checkSharedMemory },
  ports: { title: 'Ports', run: checkPorts },
  'security-floor': { title: 'Image security', run: checkSecurityFloor },
  'tensorflow-backend': { title: 'TensorFlow backend', run: checkTensorFlowBackend },
  'tensorrt-plan': { title: 'TensorRT plan', run: checkTensorRtPlan },
};

/** Pure; in the order of `checkIds`. */
export function preflight(input: PreflightInput): readonly Check[] {
  return checkIds.map((id) => {
    const { title, run } = checks[id];
    return { id, title, ...run(input) };
  });
}

interface MachineStatusInput {
  readonly env: NodeJS.ProcessEnv;
  readonly resources: string;
  readonly home: string;
  readonly environment: () => Promise<Environment>;
  readonly engines: () => Promise<readonly EngineStatus[]>;
  readonly docker: () => Promise<DockerFacts>;
  readonly tools: () => Promise<ToolFacts>;
  /** Also check for local runs. */
  readonly usesTools: boolean;
  readonly plan: (docker: DockerFacts, gpus: GpuReport) => Promise<PreflightPlan>;
}

export async function readMachineStatus(input: MachineStatusInput): Promise<Omit<MachineStatus, 'release'>> {
  // Slow queries run concurrently: drivers and engines may hang.
  const asked = Promise.all([input.environment(), input.engines(), readGpus(input.env)]);
  const docker = await input.docker();
  const paths = [input.home, ...(docker.reachable && docker.rootDir !== '' ? [docker.rootDir] : [])];
  const [[environment, engines, gpus], host, releases, plan, tools] = await Promise.all([
    asked,
    readHostFacts(paths),
    readReleases(input.resources),
    asked.then(([, , report]) => input.plan(docker, report)),
    input.tools(),
  ]);
  const checks = preflight({
    gpus,
    host,
    docker,
    releases,
    plan,
    tools: input.usesTools ? tools : null,
  });
  return { environment, engines, gpus, host, docker, tools, checks };
}
