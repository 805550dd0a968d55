import type { PlanProvenance } from '../contract/artefacts';
import type { RunSpec } from '../contract/run-spec';
import type { DockerLink } from '../docker/docker-link';
import { planPlace } from '../formats/trt.format';
import { checkPlan } from '../machine/check-plan';
import { readGpus } from '../machine/gpu-report';
import type { Outcome } from '../machine/preflight-outcome';
import { problem } from '../machine/preflight-outcome';
import { preflightPlan } from './docker/preflight-plan';

export interface PlanPlaces {
  /** GPUs of this machine, each with its compute capability; empty where there is none. */
  readonly gpuNames: () => Promise<readonly string[]>;
  /** Whether a TensorRT plan loads where the specification serves it. */
  readonly checkPlan: (spec: RunSpec, plan: PlanProvenance) => Promise<Outcome>;
}

/** What a run asks of the places where its TensorRT plan is built and served. */
export function createPlanPlaces(options: {
  readonly env: NodeJS.ProcessEnv;
  /** `resources` of the product. */
  readonly resources: string;
  readonly link: DockerLink;
}): PlanPlaces {
  const { env, resources, link } = options;
  return {
    gpuNames: async () =>
      (await readGpus(env)).gpus.map((gpu) => `${gpu.name} ${gpu.computeCapability ?? ''}`.trim()),
    checkPlan: async ({ engine }, plan) => {
      if (engine.kind !== 'docker') return problem(planPlace.reason, planPlace.remedy);
      const docker = await link.facts();
      const wanted = await preflightPlan(engine, { resources, link }, docker, { format: 'trt', plan });
      return checkPlan({ env, resources, docker, plan: wanted });
    },
  };
}
