import { type JobEnd, type JobStatus, jobWait, type RunJob } from '../contract/job/run-job';
import type { RunState } from '../contract/run/run-state';
import { leaseHolder } from './file-lease';

/** What a scheduler says of jobs, by id; those that it does not know are absent. Rejects where it gives no answer. */
export interface JobStatusReader {
  readStatuses(jobs: readonly RunJob[]): Promise<ReadonlyMap<string, JobStatus>>;
}

/** null: there is no such job any more. */
export async function readJobStatus(
  jobs: JobStatusReader,
  job: RunJob,
): Promise<JobStatus | 'silent' | null> {
  const { id, name } = job;
  const found = await jobs.readStatuses([job]).catch(() => 'silent' as const);
  if (found === 'silent') return found;
  const jobStatus = found.get(id);
  return jobStatus?.name === name ? jobStatus : null;
}

type RunStatusFields = Pick<RunState, 'status' | 'waitsFor' | 'job'>;

const interrupted = <Run extends RunStatusFields>(run: Run, jobStatus: JobStatus | null): Run => ({
  ...run,
  // Somebody took the job back, whoever it was.
  status: jobStatus?.end === 'cancelled' ? 'cancelled' : 'interrupted',
  waitsFor: null,
  job: run.job === null ? null : { ...run.job, end: run.job.end ?? jobStatus?.end ?? 'gone' },
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
export const comesBackTo = ({ job }: Pick<RunState, 'job'>, jobStatus: JobStatus | 'silent'): boolean =>
  jobStatus !== 'silent' &&
  jobStatus.phase !== 'ended' &&
  (jobStatus.phase === 'queued' || comesBack.has(job?.end ?? null));

const working = <Run extends RunStatusFields>(run: Run, waitsFor: RunState['waitsFor']): Run => ({
  ...run,
  status: 'running',
  waitsFor,
});

/** A pod that was stopped does not know of the time before it began: its image was pulled within the deadline. */
const atDeadline = <Run extends RunStatusFields>(run: Run, jobStatus: JobStatus | 'silent'): Run =>
  run.job?.end === 'stopped' && jobStatus !== 'silent' && jobStatus.end === 'time-limit'
    ? { ...run, job: { ...run.job, end: jobStatus.end } }
    : run;

/** Of a run whose job may be queued, about to start, or over without anybody having written it down. */
async function withJobStatus<Run extends RunStatusFields>(
  run: Run,
  job: RunJob,
  { dir, jobs }: { readonly dir: string; readonly jobs: JobStatusReader },
): Promise<Run> {
  const holder = await leaseHolder(dir);
  // Whether a process of another machine still works is known by its job sooner than by its lease.
  if (holder !== null && (run.status !== 'running' || holder.host === undefined)) return run;
  const jobStatus = await readJobStatus(jobs, job);
  if (jobStatus === null) return run.status === 'running' ? interrupted(run, null) : run;
  const wait = jobWait(job, jobStatus);
  if (run.status !== 'running') {
    return wait !== null && comesBackTo(run, jobStatus) ? working(run, wait) : atDeadline(run, jobStatus);
  }
  if (wait === null) return interrupted(run, jobStatus === 'silent' ? null : jobStatus);
  return holder === null ? working(run, wait) : run;
}

/** A run that nobody works on and that has no outcome is `interrupted`; it waits for nobody any more either. */
export async function withCurrentStatus<Run extends RunStatusFields>(
  run: Run,
  dir: string,
  jobs: JobStatusReader,
): Promise<Run> {
  // A job that was requeued has paused the run, and continues it by itself.
  const isPausedByJob = run.status === 'paused' && run.job !== null && run.job.end !== null;
  if (run.status !== 'running' && !isPausedByJob) return run;
  if (run.job !== null) return withJobStatus(run, run.job, { dir, jobs });
  return (await leaseHolder(dir)) === null ? interrupted(run, null) : run;
}
