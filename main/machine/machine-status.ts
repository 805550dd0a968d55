import type { EngineStatus } from '../contract/engine-status';
import type { DockerFacts, GpuReport, MachineStatus } from '../contract/machine';
import type { Environment } from '../contract/results';
import type { ToolFacts } from '../contract/tools';
import { readGpus } from './gpu-report';
import { readHostFacts } from './host-facts';
import { preflight } from './preflight';
import type { PreflightPlan } from './preflight-input';
import { readReleases } from './releases';

export interface MachineStatusInput {
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
export async function readMachineStatus(input: MachineStatusInput): Promise<MachineStatus> {
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
