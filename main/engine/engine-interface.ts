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

/** What the engines of a workbench work with; the core makes it once. */
export interface EngineParts extends ImageSource {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
  /** Bundled entry of the built-in load generator. */
  readonly workerFile: string;
  /** This machine's. */
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
  /** Run that keeps what it has. */
  readonly except?: string;
  /** The host of this specification too. */
  readonly spec?: Pick<RunSpec, 'engine'>;
  /** Every host where runs left something, too. */
  readonly everywhere?: boolean;
}

export type ServerPrograms = Pick<HomeLayout, 'tritonServer' | 'tritonBackends'>;

/** A run to come. */
export interface UnstartedRun {
  readonly runId: string;
  readonly repository: string;
  readonly programs: ServerPrograms;
}

export interface PlannedServer {
  /** null: it runs already. */
  readonly command: readonly string[] | null;
  readonly forClients: ServerHandle['forClients'];
}

/** What a start is judged by, beside its specification. */
export interface StartParts {
  readonly layout: Pick<HomeLayout, 'engines' | 'instance'>;
  /** The Docker Engine that the run works with, or this machine's. */
  readonly docker: DockerLink;
  /** `host:port` of the Triton that the monitor of this process watches; null when it watches none. */
  readonly monitored: () => Promise<string | null>;
  readonly jobs: Pick<JobScheduler, 'refusal'>;
}

export interface StartFacts extends StartParts {
  readonly spec: RunSpec;
  /** The run's config.pbtxt; null where it is known only after the export. */
  readonly config: ModelConfig | null;
  readonly tools: ToolFacts;
}

/** What is asked of the machine before a run is made. */
export interface StartPlaces extends Pick<ReleasePlaces, 'host'> {
  readonly presetOf: (model: RunSpec['model']) => Promise<{ readonly preset: Preset }>;
}

/** What a run asks of the places where its TensorRT plan is built and served. */
export interface PlanPlaces {
  /**
   * GPUs of this machine, each with its compute capability, empty where there is none; those of another machine by its
   * address, as it may be away when they are asked for.
   */
  readonly gpuNames: () => Promise<readonly string[]>;
  /** Whether a TensorRT plan loads where the specification serves it. */
  readonly checkPlan: (spec: RunSpec, plan: PlanProvenance) => Promise<Outcome>;
}

/** A kind of place to run: one file each, `<id>/<id>.engine.ts`. `Spec` is its part of the specification. */
export interface Engine<Spec = RunSpec['engine']> {
  /** Whether it can be used, and how it could be. */
  detect(parts: EngineParts): Promise<readonly EngineStatus[]>;
  /** The Docker Engine that a run works with; of an engine without containers this machine's. Throws host-unknown. */
  link(engine: Spec, parts: Pick<EngineParts, 'docker' | 'hosts'>): Promise<DockerLink>;
  /** Throws where it cannot be used at all: no run is made for it then. */
  check(engine: Spec, parts: EngineParts): Promise<void>;
  open(engine: Spec, spec: ExecutorSpec, run: ExecutorRun, parts: EngineParts): Promise<Executor>;
  /** Those of its place, without opening it. */
  imageNames(
    engine: Spec,
    model: { readonly format: Format; readonly framework: Framework },
    from: ImageSource,
  ): Promise<Executor['imageNames']>;
  /**
   * What a run measures on; two runs that measure on the same would spoil each other's figures.
   * @param node that the run's job has; null outside of a job
   */
  deviceOf(engine: Spec, node: string | null, parts: EngineParts): Promise<string>;
  /**
   * Its Triton, as it will be started; in a container as it runs inside. Ports that the system chooses stand as <http-port>
   * and <grpc-port>. Throws input-invalid for an address that cannot be read. Pure.
   */
  plannedServer(engine: Spec, spec: RunSpec, run: UnstartedRun): PlannedServer;
  /** What of it keeps a run from being started now, beside missing tools. Looks only. */
  startProblems(engine: Spec, start: StartFacts): Promise<readonly StartProblem[]>;
  /** The specification with what is chosen at the start, on the machine that does the work. */
  completed(engine: Spec, spec: RunSpec, places: StartPlaces, parts: EngineParts): Promise<RunSpec>;
  /** Checks of its machine before a run; null: it has none, or the machine does not answer. */
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
  /** Ends what dead workbenches left behind; never touches what a live one or anybody else owns. */
  sweep(parts: EngineParts, how: SweepHow): Promise<SweepResult>;
}

/** An engine that hands its runs to a scheduler of jobs. */
export interface JobEngine<Spec> extends Engine<Spec> {
  createScheduler(parts: SchedulerParts): JobScheduler<Spec>;
  /** The job that a process with this environment runs in; null outside of one. */
  ownJob(env: NodeJS.ProcessEnv): OwnJob | null;
}
