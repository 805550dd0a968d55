import { type JobEnd, type JobStatus, jobWait, type RunJob } from '../contract/job/run-job';
import type { RunState } from '../contract/run/run-state';
import { leaseHolder } from './file-lease';

/** Scheduler states by job id; unknown jobs are absent. Rejects without a response. */
export interface JobStatusReader {
  readStatuses(jobs: readonly RunJob[]): Promise<ReadonlyMap<string, JobStatus>>;
}

/** null: the job no longer exists. */
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
  // The job was cancelled, by whomever.
  status: jobStatus?.end === 'cancelled' ? 'cancelled' : 'interrupted',
  waitsFor: null,
  job: run.job === null ? null : { ...run.job, end: run.job.end ?? jobStatus?.end ?? 'gone' },
});

/** Ends after which a job restarts, unless the cluster has restarts disabled; assumed until it has ended. */
const comesBack: ReadonlySet<JobEnd | null> = new Set([
  'requeued',
  'preempted',
  'evicted',
  'stopped',
  'node-failure',
]);

/** Whether the job will continue the run that it paused, or just has. */
export const comesBackTo = ({ job }: Pick<RunState, 'job'>, jobStatus: JobStatus | 'silent'): boolean =>
  jobStatus !== 'silent' &&
  jobStatus.phase !== 'ended' &&
  (jobStatus.phase === 'queued' || comesBack.has(job?.end ?? null));

const working = <Run extends RunStatusFields>(run: Run, waitsFor: RunState['waitsFor']): Run => ({
  ...run,
  status: 'running',
  waitsFor,
});

/** A pod does not know the time before its start, so its deadline is recognized here. */
const atDeadline = <Run extends RunStatusFields>(run: Run, jobStatus: JobStatus | 'silent'): Run =>
  run.job?.end === 'stopped' && jobStatus !== 'silent' && jobStatus.end === 'time-limit'
    ? { ...run, job: { ...run.job, end: jobStatus.end } }
    : run;

/** State of a run whose job may be pending, starting, or over without a record. */
async function withJobStatus<Run extends RunStatusFields>(
  run: Run,
  job: RunJob,
  { dir, jobs }: { readonly dir: string; readonly jobs: JobStatusReader },
): Promise<Run> {
  const holder = await leaseHolder(dir);
  // For a process on another machine the job's state is more current than its lease.
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

/** Without holder and outcome the run is `interrupted`, and waits for nothing. */
export async function withCurrentStatus<Run extends RunStatusFields>(
  run: Run,
  dir: string,
  jobs: JobStatusReader,
): Promise<Run> {
  // A requeued job paused the run, and continues it itself.
  const isPausedByJob = run.status === 'paused' && run.job !== null && run.job.end !== null;
  if (run.status !== 'running' && !isPausedByJob) return run;
  if (run.job !== null) return withJobStatus(run, run.job, { dir, jobs });
  return (await leaseHolder(dir)) === null ? interrupted(run, null) : run;
}
