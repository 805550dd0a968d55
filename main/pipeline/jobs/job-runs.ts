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
/** Between two looks at a journal; the scheduler is asked as often as it allows. */
const followMs = 500;
const pollEveryMs = 2000;
/** Runs that another process hands over are found as soon. */
const watchMs = 2000;
const idleMs = 15_000;
/** A job may begin before its submitter has written its id, and before another holder is known to be dead. */
const handoverMs = 120_000;

interface JobRunsOptions {
  readonly store: RunStore;
  readonly scheduler: JobScheduler;
  readonly ownJob: OwnJob | null;
  readonly program: JobProgram;
  readonly emit: (event: CoreEvent) => void;
  /** Entries of other processes' journals are told by someone else already. */
  readonly emitsEntries: boolean;
}

const isOutcome = (status: string): status is RunOutcome => runOutcomes.some((outcome) => outcome === status);

const handedTo = (job: JobState, runId: string): WorkbenchError =>
  new WorkbenchError('run-busy', `The run is handed to ${jobName(job)}`, {
    where: runId,
    remedy: 'Cancel the run first, then change it.',
  });

/** @param silence why the scheduler could not be told to end the job; null: it was */
function cancelledError(job: JobState, silence: string | null): WireError {
  if (silence === null) return toWire(new WorkbenchError('cancelled', 'Cancelled before the job began'));
  const message = `Cancelled. ${jobName(job)} may still be there: ${silence}`;
  return toWire(new WorkbenchError('cancelled', message, { remedy: `End it with: ${endCommand(job)}.` }));
}

export interface SubmitHow {
  /** Of a job for several runs. */
  readonly name?: string | undefined;
  /** Once it asks, no further job is submitted. */
  readonly signal?: AbortSignal | undefined;
}

/** A run that is ready to be handed over: its lease and journal are ours. */
type HandedRun = Pick<RunContext, 'runId' | 'state' | 'append'>;
type GivenRun = Pick<RunContext, 'runId' | 'folder'> & { readonly close: () => Promise<void> };

/** Whether jobs do the work of a run with this specification. */
function isOfJob(state: Pick<RunState, 'source'>): boolean {
  const engine = specOf(state)?.engine;
  return engine !== undefined && isJobEngine(engine);
}

/** Runs that ask for the same, whose jobs are submitted together. */
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

/** Runs that jobs of a scheduler work on: how they are handed over, followed and stopped, whatever the scheduler is. */
export class JobRuns {
  private readonly followed = new Map<string, Promise<RunEnd>>();
  private readonly closed = new AbortController();

  constructor(private readonly options: JobRunsOptions) {}

  /** The job of this workbench that this process runs in. */
  private get inside(): OwnJob | null {
    const { ownJob } = this.options;
    return ownJob?.name.startsWith(namePrefix) === true ? ownJob : null;
  }

  /** The node of the job that works on a run of this engine here; null: no job does. */
  nodeOf({ engine }: Pick<RunSpec, 'engine'>): string | null {
    return isJobEngine(engine) ? (this.inside?.node ?? null) : null;
  }

  /** Whether the work of a run is done elsewhere, by a job that it is handed to. */
  isHandedOver(state: Pick<RunState, 'source'>): boolean {
    return isOfJob(state) && this.inside === null;
  }

  /** Follows the run where its job works on it, or is about to; null: nothing does. */
  async alive(runId: string, changes: boolean): Promise<{ readonly end: Promise<RunEnd> } | null> {
    const { state } = await this.options.store.load(runId);
    if (state.job === null || !this.isHandedOver(state)) return null;
    if (state.status !== 'running' && !(await this.isBegunAgain(state))) return null;
    if (changes) throw handedTo(state.job, runId);
    return { end: this.follow(runId) };
  }

  /** A job that comes back takes the run's lease before it journals that it has started. */
  private async isBegunAgain({ status, job }: RunState): Promise<boolean> {
    if (status !== 'paused' || job === null || job.end === null) return false;
    const jobStatus = await readJobStatus(this.options.scheduler, job);
    return jobStatus !== null && comesBackTo({ job }, jobStatus);
  }

  /**
   * Those of runs whose lease is ours that no job has: another process may have handed one over after {@link alive} looked.
   * Throws run-busy where `changes` are to be made to one that a job has.
   */
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

  /**
   * Inside of a job: waits until the run names this job, as its submitter writes the id after the job was taken. Throws
   * run-busy where it was handed to another one, and cancelled once a stop is asked for.
   */
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

  /** Inside of a job: throws cancelled where the run was cancelled before this job, which it names, began it. */
  requireWanted(state: RunState): void {
    const { inside } = this;
    const { runId, status, job } = state;
    if (inside === null || !isOfJob(state) || job?.id !== inside.id || status !== 'cancelled') return;
    throw new WorkbenchError('cancelled', 'The run was cancelled before its job began it', { where: runId });
  }

  /**
   * Hands them over, together where they ask for the same, and journals the job of each. A job that was taken is journalled
   * also where the signal asks meanwhile. Throws job-refused.
   */
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

  /** Until the run has ended, or its job has without it. Never rejects; on `close` it does not settle. */
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

  /**
   * Follows from now on every run of the home that a job works on, whoever handed it over. It hears of changes that the
   * cluster alone knows.
   */
  async watch(): Promise<void> {
    const { store } = this.options;
    const rest = (ms: number) => sleep(ms, undefined, { signal: this.closed.signal }).catch(() => undefined);
    // Behind the first list of the window, and seldom where no run ever was a job: it is read whole.
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
      // Whoever waits for it is on its way out.
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
    // The journal has no cancelled run without an error: this is what the scheduler says of one whose job was cancelled.
    const isLeft = status === 'interrupted' || (status === 'cancelled' && error === null);
    if (!isLeft && isOutcome(status))
      return (await this.mayContinue(state)) ? null : { outcome: status, error };
    if (!isLeft || job === null) return null;
    // Its last line may have been written between the two looks.
    const { state: again } = await this.options.store.load(runId);
    if (again.status !== status || again.seq !== state.seq) return null;
    return this.journalEnd(runId, job);
  }

  /** A job that was requeued comes back to the run that it has paused. */
  private async mayContinue({ runId, status, job }: RunState): Promise<boolean> {
    if (status !== 'paused' || job === null || job.end === null) return false;
    const jobStatus = await readJobStatus(this.options.scheduler, job);
    if (jobStatus === null || jobStatus === 'silent') return false;
    if (jobStatus.phase !== 'ended') return true;
    if (job.end === 'time-limit' && jobStatus.end === 'time-limit')
      await this.journalDeadline(runId, job, jobStatus.node);
    return false;
  }

  /** Writes down what the cluster alone knows, and forgets: that it was the deadline that stopped a pod. */
  private async journalDeadline(runId: string, { id }: JobState, node: string | null): Promise<void> {
    const { store, emit } = this.options;
    const folder = await store.folderOf(runId);
    const written = await store.stateOf(await readContent(folder), folder.journal);
    if (written.job?.end !== 'stopped') return;
    const entry = await store
      .append(runId, { type: 'job-ended', id, end: 'time-limit', node })
      .catch(() => null);
    // null: somebody else continues it, or writes the same.
    if (entry !== null) emit({ type: 'journal', runId, entry });
  }

  /** Writes down why the job ended, which the scheduler forgets. */
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
      // Somebody else continues it, or writes the same.
    }
    return { outcome: isCancelled ? 'cancelled' : 'failed', error };
  }

  /** Ends the job of the run as well. @returns false: no job has it */
  async cancel(runId: string): Promise<boolean> {
    return this.stop(runId, 'cancelled');
  }

  /** A job that has not begun is taken back; one that works on the run is asked. @returns false: no job has it */
  async pause(runId: string): Promise<boolean> {
    return this.stop(runId, 'paused');
  }

  /**
   * Gives back runs that were handed over, and does what other processes asked of them meanwhile: a busy cluster takes its
   * time to take a job, and the job drops requests that are older than itself.
   */
  async giveBack(runs: readonly GivenRun[]): Promise<void> {
    for (const { runId, folder, close } of runs) {
      const isAsked = (request: string) => exists(request).catch(() => false);
      const cancels = await isAsked(folder.cancelRequest);
      const pauses = !cancels && (await isAsked(folder.pauseRequest));
      await close();
      // A cluster that is away keeps the job, and the list of runs says so.
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
        // A cluster that is gone keeps nobody from giving the run up.
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

  /** Why the scheduler ends this job, in time for its journal. */
  async ownEnd(runId: string): Promise<JobEnd> {
    // Not every scheduler says that it was the workbench that took the job back.
    const { cancelRequest } = await this.options.store.folderOf(runId);
    if (await exists(cancelRequest)) return 'cancelled';
    return (await this.inside?.end().catch(() => null)) ?? 'cancelled';
  }

  /** Journals that this job ends before its run does. */
  async journalOwnEnd({ append, state }: Pick<HandedRun, 'append' | 'state'>, end: JobEnd): Promise<void> {
    const { inside } = this;
    if (inside === null || state().job?.id !== inside.id) return;
    await append({ type: 'job-ended', id: inside.id, end, node: inside.node });
  }
}
