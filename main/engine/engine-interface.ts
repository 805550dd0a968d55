import type { EngineStatus, ToolFacts } from '../contract/machine';
import type { UsedImage } from '../contract/measured/results';
import type { PlanProvenance } from '../contract/run/artefacts';
import type { Preset } from '../contract/run/preset';
import type { Format, Framework, RunSpec } from '../contract/run/run-spec';
import type { StartProblem } from '../contract/run/spec-tools';
import type { DockerClient } from '../docker/client';
import type { DockerLink } from '../docker/docker-link';
import type { ImageRequest } from '../docker/images/prepare-image';
import type { Hosts } from '../hosts/hosts';
import type { Outcome } from '../machine/preflight-docker';
import type { HomeLayout } from '../platform/layout';
import type { Setup } from '../setup/setup';
import type { ModelConfig } from '../triton/model-config';
import type { ImageSource, ReleasePlaces } from './docker/run-images';
import type { RunPreflight } from './docker/run-preflight';
import type {
  Executor,
  ExecutorRun,
  ExecutorSpec,
  ImagesListener,
  ServerHandle,
  SweepResult,
} from './engine';
import type { JobScheduler, OwnJob, SchedulerOf, SchedulerParts } from './job';

/** Shared by all engines; the core creates it once. */
export interface EngineParts extends ImageSource {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
  /** Bundled entry of the built-in load generator. */
  readonly workerFile: string;
  readonly docker: DockerLink;
  readonly hosts: Pick<Hosts, 'link' | 'list'>;
  readonly prepareImage: (
    client: DockerClient,
    image: ImageRequest,
    listener: ImagesListener,
  ) => Promise<UsedImage>;
  readonly setup: Setup;
  readonly schedulerOf: SchedulerOf;
}

export interface SweepHow {
  readonly all?: boolean;
  /** Run whose containers are kept. */
  readonly except?: string;
  readonly spec?: Pick<RunSpec, 'engine'>;
  /** Also every host on which runs left files. */
  readonly everywhere?: boolean;
}

export type ServerPrograms = Pick<HomeLayout, 'tritonServer' | 'tritonBackends' | 'cache'>;

export interface UnstartedRun {
  readonly runId: string;
  readonly repository: string;
  /** Folder of the server's log and traces. */
  readonly logs: string;
  /** See `StartServerInput.asIs`. */
  readonly asIs?: boolean | undefined;
  readonly programs: ServerPrograms;
}

export interface PlannedServer {
  /** null: it is running already. */
  readonly command: readonly string[] | null;
  readonly forClients: ServerHandle['forClients'];
}

/** Inputs of a start check, apart from the specification. */
export interface StartParts {
  readonly layout: Pick<HomeLayout, 'engines' | 'instance'>;
  /** The Docker Engine of the run, or this machine's. */
  readonly docker: DockerLink;
  /** `host:port` of the Triton that this process monitors, or null. */
  readonly monitored: () => Promise<string | null>;
  readonly jobs: Pick<JobScheduler, 'refusal'>;
}

export interface StartFacts extends StartParts {
  readonly spec: RunSpec;
  /** The run's config.pbtxt; null until the export. */
  readonly config: ModelConfig | null;
  readonly tools: ToolFacts;
}

export interface StartPlaces extends Pick<ReleasePlaces, 'host'> {
  readonly presetOf: (model: RunSpec['model']) => Promise<{ readonly preset: Preset }>;
}

/** Where a TensorRT plan is built and served. */
export interface PlanPlaces {
  /** This machine's GPUs with compute capabilities; for another machine its address, because it may be away. */
  readonly gpuNames: () => Promise<readonly string[]>;
  /** Whether a plan loads where the specification serves it. */
  readonly checkPlan: (spec: RunSpec, plan: PlanProvenance) => Promise<Outcome>;
}

/** A place to run; one file each, `<id>/<id>.engine.ts`. `Spec` is its part of the specification. */
export interface Engine<Spec = RunSpec['engine']> {
  /** Availability, and how to make it available. */
  detect(parts: EngineParts): Promise<readonly EngineStatus[]>;
  /** The Docker Engine of a run; for engines without containers this machine's. Throws host-unknown. */
  link(engine: Spec, parts: Pick<EngineParts, 'docker' | 'hosts'>): Promise<DockerLink>;
  /** Throws if the engine cannot be used; no run is created then. */
  check(engine: Spec, parts: EngineParts): Promise<void>;
  open(engine: Spec, spec: ExecutorSpec, run: ExecutorRun, parts: EngineParts): Promise<Executor>;
  /** Image names without opening the place. */
  imageNames(
    engine: Spec,
    model: { readonly format: Format; readonly framework: Framework },
    from: ImageSource,
  ): Promise<Executor['imageNames']>;
  /** Identifies the measured device: runs on the same one queue. @param node node of the run's job, or null */
  deviceOf(engine: Spec, node: string | null, parts: EngineParts): Promise<string>;
  /**
   * How Triton will be started; in a container, as seen inside it. Ports chosen by the system are <http-port> and
   * <grpc-port>. Throws input-invalid for an invalid address.
   */
  plannedServer(engine: Spec, spec: RunSpec, run: UnstartedRun): PlannedServer;
  /** Problems of a start now, apart from missing tools. Read-only. */
  startProblems(engine: Spec, start: StartFacts): Promise<readonly StartProblem[]>;
  /** The specification with values chosen at the start. */
  completed(engine: Spec, spec: RunSpec, places: StartPlaces, parts: EngineParts): Promise<RunSpec>;
  /** null without checks, or if the machine does not respond. */
  preflight(
    engine: Spec,
    spec: RunSpec,
    places: StartPlaces,
    parts: EngineParts,
  ): Promise<RunPreflight | null>;
  /** See `PlanPlaces`. */
  gpuNames(engine: Spec, parts: EngineParts): Promise<readonly string[]>;
  /** See `PlanPlaces`. */
  checkPlan(engine: Spec, plan: PlanProvenance, parts: EngineParts): Promise<Outcome>;
  /** Ends what dead processes left; never touches anything that is owned by others. */
  sweep(parts: EngineParts, how: SweepHow): Promise<SweepResult>;
}

/** An engine that submits its runs to a scheduler. */
export interface JobEngine<Spec> extends Engine<Spec> {
  createScheduler(parts: SchedulerParts): JobScheduler<Spec>;
  /** The job that this environment belongs to, or null. */
  ownJob(env: NodeJS.ProcessEnv): OwnJob | null;
}
