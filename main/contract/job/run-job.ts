import { z } from 'zod';
import { engineRows, jobRows } from '../run/engine-rows';
import { type JobEngineKind, jobEngines } from './job-engines';

/** Whether a run of this engine is handed to a job. */
export const isJobEngine = <Engine extends { readonly kind: string }>(
  engine: Engine,
): engine is Extract<Engine, { readonly kind: JobEngineKind }> =>
  jobEngines.some((kind) => kind === engine.kind);

/** Why a job ended before its run did. */
export const jobEnds = [
  'finished',
  'failed',
  'cancelled',
  'time-limit',
  'node-failure',
  'preempted',
  'evicted',
  'requeued',
  'out-of-memory',
  'stopped',
  'gone',
] as const;
export type JobEnd = (typeof jobEnds)[number];

/** The job of a scheduler that a run was handed to. */
export const runJobSchema = z.object({
  scheduler: z.enum(jobEngines),
  /** As the scheduler names it: "12", "12_3" for a task of an array, "namespace/name" in Kubernetes. */
  id: z.string().regex(/^(\d+(_\d+)?|[a-z0-9-]+\/[a-z0-9-]+)$/),
  /** Job ids are given out again after years, and by another cluster: the name tells them apart. */
  name: z.string(),
  /** File that the job prints to; of Kubernetes the command that shows what it printed. */
  log: z.string(),
  /** Of Kubernetes the context; null: the cluster's own choice. */
  partition: z.string().nullable(),
  /** Of Kubernetes the URL of the API server: the name of a context may come to mean another cluster. */
  server: z.string().optional(),
  /** Of Slurm the host whose commands submitted it; this machine when absent. */
  login: z.string().optional(),
});
export type RunJob = Readonly<z.infer<typeof runJobSchema>>;

export const jobStateSchema = runJobSchema.extend({
  /** The node that it runs, or ran, on; null before the run began there. */
  node: z.string().nullable(),
  /** Why it ended before the run did; null: it did not, or nobody has written it down. */
  end: z.enum(jobEnds).nullable(),
});
export type JobState = Readonly<z.infer<typeof jobStateSchema>>;

/** What a scheduler says of a job at this moment. */
export interface JobStatus {
  /** `starting`: it has a node, and the program may not run yet; `ending`: it is being stopped or cleaned up. */
  readonly phase: 'queued' | 'running' | 'ending' | 'ended';
  readonly name: string;
  readonly partition: string;
  /** Why it is queued, in the scheduler's word: "Resources". */
  readonly reason: string | null;
  readonly node: string | null;
  /** Of an ended job. */
  readonly end: JobEnd | null;
  /** What the scheduler says of the end, in its own words. */
  readonly message?: string;
}

/** What is waited for; see `RunWait`. */
export interface JobWait {
  readonly reason: 'job';
  readonly what: string;
}

const schedulerTitle = ({ scheduler }: Pick<RunJob, 'scheduler'>): string => engineRows[scheduler].name;

/** "Slurm job 12". */
export const jobName = (job: RunJob): string => `${schedulerTitle(job)} job ${job.id}`;

/** The command by which people end a job themselves. */
export const endCommand = (job: RunJob): string => jobRows[job.scheduler].endCommand(job);

const endWords: Readonly<Record<JobEnd, string>> = {
  finished: 'ended before the run did',
  failed: 'failed before the run ended',
  cancelled: 'was cancelled',
  'time-limit': 'reached its time limit',
  'node-failure': 'lost its node',
  preempted: 'was preempted',
  evicted: 'was evicted',
  requeued: 'was requeued',
  'out-of-memory': 'ran out of memory',
  stopped: 'was stopped by the cluster',
  gone: 'is unknown to the scheduler',
};

/** "Slurm job 12 reached its time limit on n1." */
export function jobEndText(job: RunJob, end: JobEnd, node: string | null): string {
  return `${jobName(job)} ${endWords[end]}${node === null ? '' : ` on ${node}`}.`;
}

/** Where its job is at, or how it ended; null of a run without a job, and of one that waits for it. */
export function jobLine(run: {
  readonly status: string;
  readonly job: JobState | null;
  readonly waitsFor: { readonly reason: string } | null;
}): string | null {
  const { job, status, waitsFor } = run;
  if (job === null || waitsFor?.reason === 'job') return null;
  if (status === 'running') return job.node === null ? null : `${jobRunningText(job, job.node)}.`;
  return job.end === null ? null : jobEndText(job, job.end, job.node);
}

/** "Running on n1 (Slurm job 12)". */
const jobRunningText = (job: RunJob, node: string): string => `Running on ${node} (${jobName(job)})`;

/** What a run waits for that is handed to a job and not worked on; null: the scheduler says that there is no such job. */
export function jobWait(job: RunJob, status: JobStatus | 'silent'): JobWait | null {
  const named = jobName(job);
  if (status === 'silent') {
    return { reason: 'job', what: `an answer from ${schedulerTitle(job)} about job ${job.id}` };
  }
  switch (status.phase) {
    case 'queued': {
      const why = status.reason === null ? '' : ` (${status.reason})`;
      return { reason: 'job', what: `${named}, queued on ${status.partition}${why}` };
    }
    case 'running':
      return { reason: 'job', what: `${named} to start the run on ${status.node ?? 'its node'}` };
    case 'ending':
      return { reason: 'job', what: `${named} to end on ${status.node ?? 'its node'}` };
    case 'ended':
      return null;
  }
}

/** For a row of a list: "On n1"; null of a run that no job works on. */
export const jobPlace = ({ status, job }: { readonly status: string; readonly job: JobState | null }) =>
  status === 'running' && job !== null && job.node !== null ? `On ${job.node}` : null;

/** For a row of a list: "Queued on gpu (Resources)". */
export function shortJobText(what: string): string {
  const queue = queueOf({ reason: 'job', what });
  return queue === null ? `Waiting for ${what}` : `Queued on ${queue}`;
}

/** "gpu (Resources)" of a run whose job is queued there; null of every other one. */
export function queueOf(wait: { readonly reason: string; readonly what: string } | null): string | null {
  return wait?.reason === 'job' ? (/, queued on (.*)$/.exec(wait.what)?.[1] ?? null) : null;
}
