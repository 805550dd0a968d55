import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreEvent } from '../../contract/api';
import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import {
  endCommand,
  isJobEngine,
  type JobEnd,
  jobEndText,
  jobName,
  type JobState,
} from '../../contract/job/run-job';
import { jobAbilities } from '../../contract/run/engine-kinds';
import { type JournalBody, type RunOutcome, runOutcomes, waitText } from '../../contract/run/run-events';
import { specOf } from '../../contract/run/run-source';
import type { RunSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import type { JobProgram, JobScheduler, OwnJob } from '../../engine/job';
import { canonicalJson, exists } from '../../platform/files';
import { comesBackTo, readJobStatus } from '../../store/current-status';
import { leaseHolder } from '../../store/file-lease';
import { entriesFrom } from '../../store/follow';
import { readContent } from '../../store/journal';
import type { RunStore } from '../../store/run-store';
import type { RunEnd } from '../attempt';
import type { RunContext } from '../step';

const namePrefix = 'tw-';
/** Interval between journal polls; the scheduler limits its own. */
const followMs = 500;
const pollEveryMs = 2000;
/** Interval of looking for runs that other processes submitted. */
const watchMs = 2000;
const idleMs = 15_000;
/** A job may start before its submitter writes its id, or before a dead lease holder is detected. */
const handoverMs = 120_000;

interface JobRunsOptions {
  readonly store: RunStore;
  readonly scheduler: JobScheduler;
  readonly ownJob: OwnJob | null;
  readonly program: JobProgram;
  readonly emit: (event: CoreEvent) => void;
  /** Another component already emits journal entries of other processes. */
  readonly emitsEntries: boolean;
}

const isOutcome = (status: string): status is RunOutcome => runOutcomes.some((outcome) => outcome === status);

const handedTo = (job: JobState, runId: string): WorkbenchError =>
  new WorkbenchError('run-busy', `The run was submitted as ${jobName(job)}`, {
    where: runId,
    remedy: 'Cancel the run first, then change it.',
  });

/** @param silence why the scheduler could not be asked to end the job, or null */
function cancelledError(job: JobState, silence: string | null): WireError {
  if (silence === null) return toWire(new WorkbenchError('cancelled', 'Cancelled before the job began'));
  const message = `Cancelled. ${jobName(job)} may still exist: ${silence}`;
  return toWire(new WorkbenchError('cancelled', message, { remedy: `End it with: ${endCommand(job)}.` }));
}

export interface SubmitHow {
  readonly name?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A run to submit, with its lease and journal. */
type HandedRun = Pick<RunContext, 'runId' | 'state' | 'append'>;
type GivenRun = Pick<RunContext, 'runId' | 'folder'> & { readonly close: () => Promise<void> };

/** Whether jobs do the work of a run with this specification. */
function isOfJob(state: Pick<RunState, 'source'>): boolean {
  const engine = specOf(state)?.engine;
  return engine !== undefined && isJobEngine(engine);
}

/** Groups runs with equal requests, which are submitted together. */
function groupsOf(runs: readonly HandedRun[]) {
  const groups = new Map<string, { readonly engine: RunSpec['engine']; readonly group: HandedRun[] }>();
  for (const run of runs) {
    const engine = specOf(run.state())?.engine;
    if (engine === undefined) continue;
    const key = jobAbilities(engine.kind)?.takesSeveral === true ? canonicalJson(engine) : run.runId;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { engine, group: [run] });
    else known.group.push(run);
  }
  return [...groups.values()];
}

/** Submits, follows and stops runs of jobs, for any scheduler. */
export class JobRuns {
  private readonly followed = new Map<string, Promise<RunEnd>>();
  private readonly closed = new AbortController();

  constructor(private readonly options: JobRunsOptions) {}

  /** The job that this process runs in. */
  private get inside(): OwnJob | null {
    const { ownJob } = this.options;
    return ownJob?.name.startsWith(namePrefix) === true ? ownJob : null;
  }

  /** The node of this process's job, or null. */
  nodeOf({ engine }: Pick<RunSpec, 'engine'>): string | null {
    return isJobEngine(engine) ? (this.inside?.node ?? null) : null;
  }

  /** Whether a job elsewhere executes the run. */
  isHandedOver(state: Pick<RunState, 'source'>): boolean {
    return isOfJob(state) && this.inside === null;
  }

  /** Follows the run if its job is active or about to be; null otherwise. */
  async alive(runId: string, changes: boolean): Promise<{ readonly end: Promise<RunEnd> } | null> {
    const { state } = await this.options.store.load(runId);
    if (state.job === null || !this.isHandedOver(state)) return null;
    if (state.status !== 'running' && !(await this.isBegunAgain(state))) return null;
    if (changes) throw handedTo(state.job, runId);
    return { end: this.follow(runId) };
  }

  /** A restarted job takes the lease before it journals its start. */
  private async isBegunAgain({ status, job }: RunState): Promise<boolean> {
    if (status !== 'paused' || job === null || job.end === null) return false;
    const jobStatus = await readJobStatus(this.options.scheduler, job);
    return jobStatus !== null && comesBackTo({ job }, jobStatus);
  }

  /** Runs that no job has; another process may have submitted some. Throws run-busy if `changes` are wanted for one. */
  async withoutJob<Run extends HandedRun>(runs: readonly Run[], changes: boolean): Promise<readonly Run[]> {
    const free: Run[] = [];
    for (const run of runs) {
      const { job, status } = run.state();
      const jobStatus =
        job === null || status !== 'running' ? null : await readJobStatus(this.options.scheduler, job);
      const isTaken = jobStatus === 'silent' || (jobStatus !== null && jobStatus.phase !== 'ended');
      if (!isTaken) free.push(run);
      else if (changes && job !== null) throw handedTo(job, run.runId);
    }
    return free;
  }

  /** In a job: waits until the run names this job, which is journaled after submission. Throws run-busy, cancelled. */
  async awaitOwn(runId: string, isAskedToStop: () => boolean = () => false): Promise<void> {
    const { inside } = this;
    if (inside === null) return;
    const deadline = performance.now() + handoverMs;
    for (;;) {
      const { state, folder } = await this.options.store.load(runId);
      if (!isOfJob(state)) return;
      const isFree = (await leaseHolder(folder.dir)) === null;
      if (state.job?.id === inside.id && isFree) return;
      if (isAskedToStop()) {
        throw new WorkbenchError('cancelled', 'The job was stopped before it began the run', {
          where: runId,
        });
      }
      if (performance.now() > deadline) {
        if (state.job !== null && state.job.id !== inside.id) throw handedTo(state.job, runId);
        return;
      }
      await sleep(followMs);
    }
  }

  /** In a job: throws cancelled if the run was cancelled before its job began. */
  requireWanted(state: RunState): void {
    const { inside } = this;
    const { runId, status, job } = state;
    if (inside === null || !isOfJob(state) || job?.id !== inside.id || status !== 'cancelled') return;
    throw new WorkbenchError('cancelled', 'The run was cancelled before its job began it', { where: runId });
  }

  /** Submits groups and journals their jobs, even if the signal fires meanwhile. Throws job-refused. */
  async submit(runs: readonly HandedRun[], { name, signal }: SubmitHow = {}): Promise<void> {
    const { scheduler, program } = this.options;
    for (const { engine, group } of groupsOf(runs)) {
      const [first] = group;
      if (first === undefined || signal?.aborted === true) continue;
      const own = group.length === 1 ? first.runId : (name ?? first.runId).replace(/[^\w.-]+/g, '-');
      const runIds = group.map(({ runId }) => runId);
      const jobs = await scheduler.submit({ name: `${namePrefix}${own}`, runIds, engine, program });
      for (const [at, run] of group.entries()) {
        const job = jobs[at];
        if (job !== undefined) await run.append({ type: 'job-submitted', job });
      }
    }
  }

  /** Resolves when the run ends, or its job without it. Never rejects; does not settle on `close`. */
  follow(runId: string): Promise<RunEnd> {
    const known = this.followed.get(runId);
    if (known !== undefined) return known;
    const end = this.toEnd(runId)
      .catch((error: unknown): RunEnd => ({ outcome: 'failed', error: toWire(error) }))
      .finally(() => {
        this.followed.delete(runId);
      });
    this.followed.set(runId, end);
    return end;
  }

  /** Follows every run of the home that a job executes, including changes that only the cluster knows. */
  async watch(): Promise<void> {
    const { store } = this.options;
    const rest = (ms: number) => sleep(ms, undefined, { signal: this.closed.signal }).catch(() => undefined);
    // After the window's first list, and rarely if no run ever was a job, because it reads everything.
    await rest(watchMs);
    while (!this.closed.signal.aborted) {
      const { runs } = await store.list().catch(() => ({ runs: [] }));
      for (const { runId, job, status } of runs) {
        if (job !== null && status === 'running') void this.follow(runId);
      }
      await rest(runs.some(({ job }) => job !== null) ? watchMs : idleMs);
    }
  }

  close(): void {
    this.closed.abort();
  }

  private async toEnd(runId: string): Promise<RunEnd> {
    const { store, emit } = this.options;
    const seen = { seq: (await store.load(runId)).state.seq, size: -1, at: 0, waits: '' };
    for (;;) {
      // The waiting caller is shutting down.
      if (this.closed.signal.aborted) return new Promise(() => undefined);
      const folder = await store.folderOf(runId);
      const { size } = await stat(folder.journal);
      if (size !== seen.size || performance.now() - seen.at >= pollEveryMs) {
        seen.size = size;
        seen.at = performance.now();
        if (this.options.emitsEntries) {
          for (const entry of await entriesFrom(folder.journal, 0)) {
            if (entry.seq <= seen.seq) continue;
            seen.seq = entry.seq;
            emit({ type: 'journal', runId, entry });
          }
        }
        const { state } = await store.load(runId);
        const waits = state.waitsFor === null ? '' : waitText(state.waitsFor);
        if (waits !== seen.waits) {
          seen.waits = waits;
          if (state.waitsFor !== null) emit({ type: 'held-up', runId, wait: state.waitsFor });
          emit({ type: 'runs-changed' });
        }
        const end = await this.endOf(state);
        if (end !== null) return end;
      }
      await sleep(followMs, undefined, { signal: this.closed.signal }).catch(() => undefined);
    }
  }

  private async endOf(state: RunState): Promise<RunEnd | null> {
    const { runId, status, error, job } = state;
    // Journals give cancelled runs an error; without one this is the scheduler's state of a cancelled job.
    const isLeft = status === 'interrupted' || (status === 'cancelled' && error === null);
    if (!isLeft && isOutcome(status))
      return (await this.mayContinue(state)) ? null : { outcome: status, error };
    if (!isLeft || job === null) return null;
    // The last line may have been written between the two polls.
    const { state: again } = await this.options.store.load(runId);
    if (again.status !== status || again.seq !== state.seq) return null;
    return this.journalEnd(runId, job);
  }

  /** A requeued job continues the run that it paused. */
  private async mayContinue({ runId, status, job }: RunState): Promise<boolean> {
    if (status !== 'paused' || job === null || job.end === null) return false;
    const jobStatus = await readJobStatus(this.options.scheduler, job);
    if (jobStatus === null || jobStatus === 'silent') return false;
    if (jobStatus.phase !== 'ended') return true;
    if (job.end === 'time-limit' && jobStatus.end === 'time-limit')
      await this.journalDeadline(runId, job, jobStatus.node);
    return false;
  }

  /** Journals that the deadline stopped a pod, which the cluster forgets. */
  private async journalDeadline(runId: string, { id }: JobState, node: string | null): Promise<void> {
    const { store, emit } = this.options;
    const folder = await store.folderOf(runId);
    const written = await store.stateOf(await readContent(folder), folder.journal);
    if (written.job?.end !== 'stopped') return;
    const entry = await store
      .append(runId, { type: 'job-ended', id, end: 'time-limit', node })
      .catch(() => null);
    // null: another process continues it, or writes the same.
    if (entry !== null) emit({ type: 'journal', runId, entry });
  }

  /** Journals why the job ended, which the scheduler forgets. */
  private async journalEnd(runId: string, job: JobState): Promise<RunEnd> {
    const { store, scheduler, emit } = this.options;
    const jobStatus = await readJobStatus(scheduler, job);
    const seen = jobStatus === null || jobStatus === 'silent' ? null : jobStatus;
    const end: JobEnd = job.end ?? seen?.end ?? 'gone';
    const node = seen?.node ?? job.node;
    const text = jobEndText(job, end, node);
    const isCancelled = end === 'cancelled';
    const code = isCancelled ? 'cancelled' : 'job-ended';
    const error = toWire(new WorkbenchError(code, text, { where: job.log, details: seen?.message }));
    const entries: readonly JournalBody[] = [
      { type: 'job-ended', id: job.id, end, node },
      ...(isCancelled ? [{ type: 'run-finished', outcome: 'cancelled', error } as const] : []),
    ];
    try {
      for (const body of entries) emit({ type: 'journal', runId, entry: await store.append(runId, body) });
    } catch {
      // Another process continues it, or writes the same.
    }
    return { outcome: isCancelled ? 'cancelled' : 'failed', error };
  }

  /** Also ends the job. @returns false without one */
  async cancel(runId: string): Promise<boolean> {
    return this.stop(runId, 'cancelled');
  }

  /** Withdraws a pending job, or asks an active one. @returns false without one */
  async pause(runId: string): Promise<boolean> {
    return this.stop(runId, 'paused');
  }

  /** Releases submitted runs, and handles requests made meanwhile, because jobs ignore requests older than themselves. */
  async giveBack(runs: readonly GivenRun[]): Promise<void> {
    for (const { runId, folder, close } of runs) {
      const isAsked = (request: string) => exists(request).catch(() => false);
      const cancels = await isAsked(folder.cancelRequest);
      const pauses = !cancels && (await isAsked(folder.pauseRequest));
      await close();
      // An unreachable cluster keeps the job, and the list of runs says so.
      if (cancels || pauses) await this.stop(runId, cancels ? 'cancelled' : 'paused').catch(() => undefined);
    }
  }

  private async stop(runId: string, outcome: 'cancelled' | 'paused'): Promise<boolean> {
    const { store, scheduler, emit } = this.options;
    const { state, folder } = await store.load(runId);
    if (state.job === null || !this.isHandedOver(state) || state.status !== 'running') return false;
    emit({ type: 'stopping', runId, how: outcome === 'cancelled' ? 'cancel' : 'pause' });
    const isWorkedOn = (await leaseHolder(folder.dir)) !== null;
    if (isWorkedOn && outcome === 'paused') {
      await store.requestPause(runId);
      return true;
    }
    if (isWorkedOn) await store.requestCancel(runId);
    const silence = await scheduler.cancel([state.job]).then(
      () => null,
      (error: unknown) => {
        // A removed cluster must not prevent giving up the run.
        if (isWorkedOn || outcome === 'paused') throw error;
        return toWire(error).message;
      },
    );
    if (isWorkedOn) return true;
    const error = outcome === 'paused' ? {} : { error: cancelledError(state.job, silence) };
    await store.append(runId, { type: 'run-finished', outcome, ...error });
    emit({ type: 'runs-changed' });
    return true;
  }

  /** Why the scheduler ends this job, in time for the journal. */
  async ownEnd(runId: string): Promise<JobEnd> {
    // Not every scheduler reports that the workbench cancelled the job.
    const { cancelRequest } = await this.options.store.folderOf(runId);
    if (await exists(cancelRequest)) return 'cancelled';
    return (await this.inside?.end().catch(() => null)) ?? 'cancelled';
  }

  /** Journals that the job ends before its run. */
  async journalOwnEnd({ append, state }: Pick<HandedRun, 'append' | 'state'>, end: JobEnd): Promise<void> {
    const { inside } = this;
    if (inside === null || state().job?.id !== inside.id) return;
    await append({ type: 'job-ended', id: inside.id, end, node: inside.node });
  }
}
