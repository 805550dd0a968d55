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
import { readGpus } from './gpu-report';
import { readHostFacts } from './host-facts';
import {
  checkContainerToolkit,
  checkDocker,
  checkDockerApi,
  checkDockerPermission,
} from './preflight-docker';
import { checkComputeCapability, checkDriver } from './preflight-driver';
import { checkGpus } from './preflight-gpu';
import { checkDisk, checkPorts, checkSharedMemory } from './preflight-host';
import { checkSecurityFloor, checkTensorFlowBackend, checkTensorRtPlan } from './preflight-image';
import {
  notApplicable,
  ok,
  type Outcome,
  type PreflightInput,
  type PreflightPlan,
  problem,
  warning,
} from './preflight-input';
import { readReleases } from './releases';

/** What runs outside of containers need of the workbench home. */
function checkTools({ tools, docker }: PreflightInput): Outcome {
  if (tools === null) return notApplicable('Containers include their own Triton and Python.');
  const { missing, installable } = tools;
  if (missing.length === 0) return ok('Triton, perf_analyzer and the Python environment are installed.');
  const finding = `Not installed: ${toolList(missing)}.`;
  const install = installable
    ? 'Install the missing tools (triton-workbench setup)'
    : 'They can be installed on Linux only: measure a Triton that is already running';
  // Only who chooses it needs it.
  if (missing.every((tool) => tool === 'perf-analyzer')) {
    return warning(finding, `${install}, or use the native load generator.`);
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

/** Every check once, in the order of `checkIds`. Looks at nothing but its input. */
export function preflight(input: PreflightInput): readonly Check[] {
  return checkIds.map((id) => {
    const { title, run } = checks[id];
    return { id, title, ...run(input) };
  });
}

interface MachineStatusInput {
  readonly env: NodeJS.ProcessEnv;
  /** `resources` of the product. */
  readonly resources: string;
  readonly home: string;
  readonly environment: () => Promise<Environment>;
  readonly engines: () => Promise<readonly EngineStatus[]>;
  readonly docker: () => Promise<DockerFacts>;
  readonly tools: () => Promise<ToolFacts>;
  /** The checks are made for a run outside of containers too. */
  readonly usesTools: boolean;
  /** What the checks are made for. */
  readonly plan: (docker: DockerFacts, gpus: GpuReport) => Promise<PreflightPlan>;
}

/** Everything that this machine offers, with the checks of what a run on it would need. */
export async function readMachineStatus(input: MachineStatusInput): Promise<Omit<MachineStatus, 'release'>> {
  // The slow ones first: a driver that hangs and an engine that hangs are waited for side by side.
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
    ...{ gpus, host, docker, releases, plan },
    tools: input.usesTools ? tools : null,
  });
  return { environment, engines, gpus, host, docker, tools, checks };
}
