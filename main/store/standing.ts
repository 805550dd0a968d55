import { type JobEnd, type JobLook, jobWait, type RunJob } from '../contract/job/run-job';
import type { RunState } from '../contract/run/run-state';
import { leaseHolder } from './file-lease';

/** What a scheduler says of jobs, by id; those that it does not know are absent. Rejects where it gives no answer. */
export interface JobLooks {
  look(jobs: readonly RunJob[]): Promise<ReadonlyMap<string, JobLook>>;
}

/** null: there is no such job any more. */
export async function lookAtJob(jobs: JobLooks, job: RunJob): Promise<JobLook | 'silent' | null> {
  const { id, name } = job;
  const found = await jobs.look([job]).catch(() => 'silent' as const);
  if (found === 'silent') return found;
  const look = found.get(id);
  return look?.name === name ? look : null;
}

type Standing = Pick<RunState, 'status' | 'waitsFor' | 'job'>;

const interrupted = <Run extends Standing>(run: Run, look: JobLook | null): Run => ({
  ...run,
  // Somebody took the job back, whoever it was.
  status: look?.end === 'cancelled' ? 'cancelled' : 'interrupted',
  waitsFor: null,
  job: run.job === null ? null : { ...run.job, end: run.job.end ?? look?.end ?? 'gone' },
});

/** Ends of a job that is started again, unless the cluster does so with none; until it has ended it is taken to be. */
const comesBack: ReadonlySet<JobEnd | null> = new Set([
  'requeued',
  'preempted',
  'evicted',
  'stopped',
  'node-failure',
]);

/** Whether the job of a run that it has paused will continue it, or has just begun to. */
export const comesBackTo = ({ job }: Pick<RunState, 'job'>, look: JobLook | 'silent'): boolean =>
  look !== 'silent' && look.phase !== 'ended' && (look.phase === 'queued' || comesBack.has(job?.end ?? null));

const working = <Run extends Standing>(run: Run, waitsFor: RunState['waitsFor']): Run => ({
  ...run,
  status: 'running',
  waitsFor,
});

/** A pod that was stopped does not know of the time before it began: its image was pulled within the deadline. */
const atDeadline = <Run extends Standing>(run: Run, look: JobLook | 'silent'): Run =>
  run.job?.end === 'stopped' && look !== 'silent' && look.end === 'time-limit'
    ? { ...run, job: { ...run.job, end: look.end } }
    : run;

/** Of a run whose job may be queued, about to start, or over without anybody having written it down. */
async function asItsJobStands<Run extends Standing>(
  run: Run,
  job: RunJob,
  { dir, jobs }: { readonly dir: string; readonly jobs: JobLooks },
): Promise<Run> {
  const holder = await leaseHolder(dir);
  // Whether a process of another machine still works is known by its job sooner than by its lease.
  if (holder !== null && (run.status !== 'running' || holder.host === undefined)) return run;
  const look = await lookAtJob(jobs, job);
  if (look === null) return run.status === 'running' ? interrupted(run, null) : run;
  const wait = jobWait(job, look);
  if (run.status !== 'running') {
    return wait !== null && comesBackTo(run, look) ? working(run, wait) : atDeadline(run, look);
  }
  if (wait === null) return interrupted(run, look === 'silent' ? null : look);
  return holder === null ? working(run, wait) : run;
}

/** A run that nobody works on and that has no outcome is `interrupted`; it waits for nobody any more either. */
export async function asItStands<Run extends Standing>(run: Run, dir: string, jobs: JobLooks): Promise<Run> {
  // A job that was requeued has paused the run, and continues it by itself.
  const isPausedByJob = run.status === 'paused' && run.job !== null && run.job.end !== null;
  if (run.status !== 'running' && !isPausedByJob) return run;
  if (run.job !== null) return asItsJobStands(run, run.job, { dir, jobs });
  return (await leaseHolder(dir)) === null ? interrupted(run, null) : run;
}
