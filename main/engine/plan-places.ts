import type { DockerFacts } from '../contract/machine';
import type { PlanProvenance } from '../contract/run/artefacts';
import type { RunSpec } from '../contract/run/run-spec';
import type { DockerLink } from '../docker/docker-link';
import { planPlace } from '../formats/trt.format';
import { readGpus } from '../machine/gpu-report';
import { readHostFacts } from '../machine/host-facts';
import { checkTensorRtPlan } from '../machine/preflight-image';
import { type Outcome, type PreflightPlan, problem } from '../machine/preflight-input';
import { readReleases } from '../machine/releases';
import { preflightPlan } from './docker/preflight-plan';

interface CheckPlanInput {
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

export interface PlanPlaces {
  /**
   * GPUs of this machine, each with its compute capability, empty where there is none; those of another machine by its
   * address, as it may be away when they are asked for.
   */
  readonly gpuNames: () => Promise<readonly string[]>;
  /** Whether a TensorRT plan loads where the specification serves it. */
  readonly checkPlan: (spec: RunSpec, plan: PlanProvenance) => Promise<Outcome>;
}

/** What a run asks of the places where its TensorRT plan is built and served. */
export function createPlanPlaces(options: {
  readonly env: NodeJS.ProcessEnv;
  /** `resources` of the product. */
  readonly resources: string;
  /** NVIDIA's images, or a mirror of them. */
  readonly registry: string;
  readonly link: DockerLink;
  readonly engine: RunSpec['engine'];
}): PlanPlaces {
  const { env, resources, registry, link, engine: own } = options;
  return {
    gpuNames: async () => {
      if (own.kind === 'docker') {
        const { kind, host } = await link.address();
        if (kind !== 'unix') return [`${host} ${own.gpus.join(',')}`.trim()];
      }
      return (await readGpus(env)).gpus.map((gpu) => `${gpu.name} ${gpu.computeCapability ?? ''}`.trim());
    },
    checkPlan: async ({ engine }, plan) => {
      if (engine.kind !== 'docker') return problem(planPlace.reason, planPlace.remedy);
      const docker = await link.facts();
      const wanted = await preflightPlan(engine, { resources, registry, link }, docker, {
        format: 'trt',
        plan,
      });
      return checkPlan({ env, resources, docker, plan: wanted });
    },
  };
}
