import { z } from 'zod';
import { engineRows, jobRows } from '../run/engine-rows';
import { type JobEngineKind, jobEngines } from './job-engines';

export const isJobEngine = <Engine extends { readonly kind: string }>(
  engine: Engine,
): engine is Extract<Engine, { readonly kind: JobEngineKind }> =>
  jobEngines.some((kind) => kind === engine.kind);

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

export const runJobSchema = z.object({
  scheduler: z.enum(jobEngines),
  /** As the scheduler names it: "12", "12_3" for a task of an array, "namespace/name" in Kubernetes. */
  id: z.string().regex(/^(\d+(_\d+)?|[a-z0-9-]+\/[a-z0-9-]+)$/),
  /** Job ids are reused after years and by other clusters; the name distinguishes them. */
  name: z.string(),
  /** File that the job prints to; in Kubernetes the command that shows its output. */
  log: z.string(),
  /** In Kubernetes the context; null: the cluster's choice. */
  partition: z.string().nullable(),
  /** Kubernetes API server: a context name may point to another cluster later. */
  server: z.string().optional(),
  /** Slurm login host; absent: this machine. */
  login: z.string().optional(),
});
export type RunJob = Readonly<z.infer<typeof runJobSchema>>;

export const jobStateSchema = runJobSchema.extend({
  /** null before the run began on a node. */
  node: z.string().nullable(),
  /** null: it did not end before the run, or nobody recorded it. */
  end: z.enum(jobEnds).nullable(),
});
export type JobState = Readonly<z.infer<typeof jobStateSchema>>;

export interface JobStatus {
  /** `starting`: it has a node, and the program may not run yet; `ending`: it is being stopped or cleaned up. */
  readonly phase: 'queued' | 'running' | 'ending' | 'ended';
  readonly name: string;
  readonly partition: string;
  /** Why it is queued, in the scheduler's word: "Resources". */
  readonly reason: string | null;
  readonly node: string | null;
  readonly end: JobEnd | null;
  readonly message?: string;
}

export interface JobWait {
  readonly reason: 'job';
  readonly what: string;
}

const schedulerTitle = ({ scheduler }: Pick<RunJob, 'scheduler'>): string => engineRows[scheduler].name;

export const jobName = (job: RunJob): string => `${schedulerTitle(job)} job ${job.id}`;

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

/** State or end of the run's job; null of a run without a job, and while it waits for it. */
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

const jobRunningText = (job: RunJob, node: string): string => `Running on ${node} (${jobName(job)})`;

/** What a run waits for while its job does not work on it; null: the scheduler does not know the job. */
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

/** "On n1", for a list; null where no job works on the run. */
export const jobPlace = ({ status, job }: { readonly status: string; readonly job: JobState | null }) =>
  status === 'running' && job !== null && job.node !== null ? `On ${job.node}` : null;

/** "Queued on gpu (Resources)", for a list. */
export function shortJobText(what: string): string {
  const queue = queueOf({ reason: 'job', what });
  return queue === null ? `Waiting for ${what}` : `Queued on ${queue}`;
}

/** "gpu (Resources)" while the job is queued; null otherwise. */
export function queueOf(wait: { readonly reason: string; readonly what: string } | null): string | null {
  return wait?.reason === 'job' ? (/, queued on (.*)$/.exec(wait.what)?.[1] ?? null) : null;
}
