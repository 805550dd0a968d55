import type { JobEngineKind } from '../contract/job/job-engines';
import type { JobStatus, RunJob } from '../contract/job/run-job';
import type { EngineStatus } from '../contract/machine';
import type { RunSpec } from '../contract/run/run-spec';
import type { Hosts } from '../hosts/hosts';
import type { HomeLayout } from '../platform/layout';

/** A command as the container runtime of a job starts it, with the folder at its own path inside. */
export type InContainer = (command: readonly string[], folder: string) => readonly [string, ...string[]];

/** A program as it is started on the node; it lies on the file system that the nodes share. */
export interface JobProgram {
  readonly argv: readonly string[];
  /** Variables of its environment that must not depend on what the cluster passes on. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs that are handed to a scheduler together: one job, an array with a task for each, or a job for each. */
export interface JobRequest<Spec = RunSpec['engine']> {
  /** Their names tell the jobs of this workbench from all others. */
  readonly name: string;
  readonly runIds: readonly string[];
  /** The same for all of them. */
  readonly engine: Spec;
  /** Continues the run whose id is its last argument, and is told so by the scheduler's own variables. */
  readonly program: JobProgram;
}

/**
 * A scheduler that starts a program on a node some time after it was asked to: Slurm, Kubernetes. What a run is, and how it
 * is followed, is in `pipeline/jobs/job-runs.ts` and the same for all of them.
 */
export interface JobScheduler<Spec = RunSpec['engine']> {
  detect(): Promise<readonly EngineStatus[]>;
  /**
   * What would keep the scheduler from taking a job of this engine; null: nothing. Asks the scheduler.
   */
  refusal(
    engine: Spec,
  ): Promise<{ readonly field: string; readonly message: string; readonly remedy?: string } | null>;
  /** @returns the jobs in the order of the runs. Throws job-refused, engine-unavailable. */
  submit(request: JobRequest<Spec>): Promise<readonly RunJob[]>;
  /** Of those that the scheduler still knows, by id; asked at most every 2 s, together. Throws engine-unavailable. */
  readStatuses(jobs: readonly RunJob[]): Promise<ReadonlyMap<string, JobStatus>>;
  /** Ends them, whatever they do; harmless for those that have ended. Throws engine-unavailable. */
  cancel(jobs: readonly RunJob[]): Promise<void>;
}

/** What a scheduler is made of. */
export interface SchedulerParts {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
  readonly hosts: Pick<Hosts, 'run'>;
}

/** The scheduler of an engine, the same one whenever it is asked for. */
export type SchedulerOf = (kind: JobEngineKind) => JobScheduler;

/** The job that this very process runs in. */
export interface OwnJob {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  /** What the scheduler has written about its end so far, or what is known of it; null: nothing. */
  readonly end: () => Promise<JobStatus['end']>;
}
