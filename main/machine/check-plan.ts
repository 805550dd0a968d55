import type { DockerFacts } from '../contract/machine';
import { readGpus } from './gpu-report';
import { readHostFacts } from './host-facts';
import { checkTensorRtPlan } from './preflight-image';
import type { PreflightPlan } from './preflight-input';
import type { Outcome } from './preflight-outcome';
import { readReleases } from './releases';

export interface CheckPlanInput {
  readonly env: NodeJS.ProcessEnv;
  /** `resources` of the product. */
  readonly resources: string;
  readonly docker: DockerFacts;
  /** What serves, with what the TensorRT plan was built on. */
  readonly plan: PreflightPlan;
}

/** The preflight's check of a TensorRT plan alone, for a plan that is about to be served. */
export async function checkPlan(input: CheckPlanInput): Promise<Outcome> {
  const [gpus, releases, host] = await Promise.all([
    readGpus(input.env),
    readReleases(input.resources),
    readHostFacts([]),
  ]);
  return checkTensorRtPlan({ gpus, host, docker: input.docker, releases, plan: input.plan, tools: null });
}
