import type { JobEngineKind } from '../contract/job/job-engines';
import type { JobStatus, RunJob } from '../contract/job/run-job';
import type { EngineStatus } from '../contract/machine';
import type { RunSpec } from '../contract/run/run-spec';
import type { Hosts } from '../hosts/hosts';
import type { HomeLayout } from '../platform/layout';

/** Wraps a command for the job's container runtime; `folder` keeps its path inside. */
export type InContainer = (command: readonly string[], folder: string) => readonly [string, ...string[]];

/** A program on the nodes' shared file system. */
export interface JobProgram {
  readonly argv: readonly string[];
  /** Variables that must not depend on what the cluster passes on. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs submitted together: one job, an array, or a job each. */
export interface JobRequest<Spec = RunSpec['engine']> {
  /** Job name by which jobs of this workbench are recognized. */
  readonly name: string;
  readonly runIds: readonly string[];
  readonly engine: Spec;
  /** Continues the run whose id is its last argument; the scheduler's variables identify the job. */
  readonly program: JobProgram;
}

/** A job scheduler such as Slurm or Kubernetes. `pipeline/jobs/job-runs.ts` executes and follows runs for all of them. */
export interface JobScheduler<Spec = RunSpec['engine']> {
  detect(): Promise<readonly EngineStatus[]>;
  /** Why the scheduler would refuse a job; null if it would not. Asks the scheduler. */
  refusal(
    engine: Spec,
  ): Promise<{ readonly field: string; readonly message: string; readonly remedy?: string } | null>;
  /** @returns jobs in the order of the runs. Throws job-refused, engine-unavailable. */
  submit(request: JobRequest<Spec>): Promise<readonly RunJob[]>;
  /** States of the jobs that the scheduler still knows, by id; polled at most every 2 s. Throws engine-unavailable. */
  readStatuses(jobs: readonly RunJob[]): Promise<ReadonlyMap<string, JobStatus>>;
  /** No-op for ended jobs. Throws engine-unavailable. */
  cancel(jobs: readonly RunJob[]): Promise<void>;
}

export interface SchedulerParts {
  readonly layout: HomeLayout;
  readonly env: NodeJS.ProcessEnv;
  readonly hosts: Pick<Hosts, 'run'>;
}

/** Returns the same scheduler for each engine. */
export type SchedulerOf = (kind: JobEngineKind) => JobScheduler;

/** The job that this process runs in. */
export interface OwnJob {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  /** The end that the scheduler has announced so far, or null. */
  readonly end: () => Promise<JobStatus['end']>;
}
