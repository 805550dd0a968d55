import { parseRemoteUrl } from '../contract/address';
import { isJobEngine } from '../contract/job/run-job';
import type { DockerFacts } from '../contract/machine';
import type { PlanProvenance } from '../contract/run/artefacts';
import { imageFamily, inContainers } from '../contract/run/engine-kinds';
import type { DockerEngineSpec, Format, RunSpec } from '../contract/run/run-spec';
import { sharedMemoryOf } from '../contract/run/sweep';
import type { DockerLink } from '../docker/docker-link';
import { planPlace } from '../formats/trt.format';
import { readHostFacts } from '../machine/environment';
import { readGpus } from '../machine/gpu-report';
import { type Outcome, type PreflightPlan, problem } from '../machine/preflight-docker';
import { checkTensorRtPlan } from '../machine/preflight-image';
import { readReleases, releaseOf } from '../machine/releases';
import type { HomeLayout } from '../platform/layout';
import { usualRelease } from './docker/run-images';
import { preflightPlan } from './docker/run-preflight';
import { allowsClientSharedMemory, containerPorts, tritonCommand } from './docker/triton-command';
import type { ServerHandle } from './engine';
import { inContainerOf } from './job';
import { serverArguments } from './local/server-command';

export type ServerPrograms = Pick<HomeLayout, 'tritonServer' | 'tritonBackends'>;

interface PlannedServer {
  /** null: it runs already. */
  readonly command: readonly string[] | null;
  readonly forClients: ServerHandle['forClients'];
}

/** Of the Triton image, as far as its name says; null where it does not, and of one that is built here. */
function plannedRelease(engine: DockerEngineSpec, format: Format): string | null {
  if (engine.tritonImage !== undefined) return releaseOf(engine.tritonImage);
  return imageFamily(engine) === 'ngc' ? (engine.release ?? usualRelease(format)) : null;
}

/**
 * The Triton of a run to come, as its engine will start it; in a container as it runs inside. Ports that the system chooses
 * stand as <http-port> and <grpc-port>. Throws input-invalid for a remote address that cannot be read.
 */
export function plannedServer(
  { engine, format, performance }: RunSpec,
  run: { readonly runId: string; readonly repository: string; readonly programs: ServerPrograms },
): PlannedServer {
  const loopback = (http: string | number, grpc: string | number) => ({
    httpAddress: `127.0.0.1:${http}`,
    grpcAddress: `127.0.0.1:${grpc}`,
  });
  switch (engine.kind) {
    case 'remote': {
      const { http, grpc, secure } = parseRemoteUrl(engine.url);
      const tls = secure ? (engine.tls ?? {}) : undefined;
      return {
        command: null,
        forClients: { httpAddress: http, grpcAddress: grpc, httpTls: tls, grpcTls: tls },
      };
    }
    case 'docker': {
      const release = plannedRelease(engine, format);
      return {
        command: tritonCommand({
          builtHere: imageFamily(engine) === 'cpu' && engine.tritonImage === undefined,
          gpus: engine.gpus.length > 0,
          release,
          clientSharedMemory: allowsClientSharedMemory(sharedMemoryOf(performance), release),
        }),
        forClients: loopback(containerPorts.http, containerPorts.grpc),
      };
    }
    case 'slurm':
    case 'kubernetes':
    case 'local': {
      const inContainer = isJobEngine(engine) ? inContainerOf(engine) : null;
      const { repository, programs } = run;
      const command = serverArguments({
        program: inContainer === null ? programs.tritonServer : 'tritonserver',
        backends: inContainer === null ? programs.tritonBackends : null,
        repository,
        engineId: run.runId,
        httpPort: engine.httpPort,
        grpcPort: engine.grpcPort,
      });
      return {
        command: inContainer === null ? command : inContainer(command, repository),
        forClients: loopback(engine.httpPort ?? '<http-port>', engine.grpcPort ?? '<grpc-port>'),
      };
    }
  }
}

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
      if (!inContainers(engine)) return problem(planPlace.reason, planPlace.remedy);
      const docker = await link.facts();
      const wanted = await preflightPlan(engine, { resources, registry, link }, docker, {
        format: 'trt',
        plan,
      });
      return checkPlan({ env, resources, docker, plan: wanted });
    },
  };
}
