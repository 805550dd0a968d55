import { toWire, type WireError } from '../contract/errors';
import { type RunOutcome, stepsOf } from '../contract/run/run-events';
import type { EngineWatch } from '../engine/engine';
import { LeaveRunning } from '../platform/abort';
import { exists } from '../platform/files';
import type { ArtefactCache } from '../store/artefact-cache';
import { awaitDevice, type TakeDevice, toHoldError, waitOut } from './device-turn';
import { type ContinueNow, DiskHolds, EngineHolds, type Hold, HoldError } from './hold';
import { stoppedEnd } from './jobs/job-stopping';
import { needsDevice, plannedSteps, stepKeys, stepsUntil } from './plan';
import { runPipeline } from './runner';
import type { RunContext, RunServices, Step } from './step';
import { forgetChanged } from './step-files';

const requestPollMs = 500;

export interface OpenServices {
  readonly services: RunServices;
  readonly engineWatch: EngineWatch | null;
  /** Before the steps: ends leftovers of an earlier attempt that cannot be reused. */
  reclaim(): Promise<void>;
  /** After the steps: ends everything of the run. */
  release(): Promise<void>;
}

export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly error: WireError | null;
}

export interface AttemptOptions {
  readonly steps: readonly Step[];
  readonly cache: ArtefactCache;
  readonly takeDevice: TakeDevice;
  /** Other folders that runs write to, which may be on other disks. */
  readonly disks: readonly string[];
}

export interface AttemptStops {
  readonly cancel: AbortController;
  readonly pause: AbortController;
  /** Ends a wait for a disk or an engine. */
  readonly continueNow: ContinueNow;
}

/** Polls for requests of other processes to a run or study. Returns the disposer. */
export function watchRequests(
  folder: Pick<RunContext['folder'], 'cancelRequest' | 'pauseRequest'>,
  stops: Pick<AttemptStops, 'cancel' | 'pause'>,
): () => void {
  const checkRequest = (path: string, stop: AbortController) => {
    exists(path).then(
      (asked) => {
        if (asked) stop.abort();
      },
      // An unreadable folder fails the run at its next write.
      () => undefined,
    );
  };
  const poll = setInterval(() => {
    checkRequest(folder.cancelRequest, stops.cancel);
    checkRequest(folder.pauseRequest, stops.pause);
  }, requestPollMs);
  return () => clearInterval(poll);
}

/** The end of an attempt whose journal could not be written; logged elsewhere if possible. */
export async function failedEnd(run: Pick<RunContext, 'append'>, cause: unknown): Promise<RunEnd> {
  const error = toWire(cause);
  await run.append({ type: 'run-finished', outcome: 'failed', error }).catch(() => undefined);
  return { outcome: 'failed', error };
}

async function stoppedWhileWaiting(run: Pick<RunContext, 'append'>, stops: AttemptStops): Promise<RunEnd> {
  if (!stops.cancel.signal.aborted) {
    await run.append({ type: 'run-finished', outcome: 'paused' });
    return { outcome: 'paused', error: null };
  }
  const end = await stoppedEnd(stops.cancel.signal, 'Cancelled while the run waited');
  const { outcome, error } = end;
  await run.append({ type: 'run-finished', outcome, ...(error === null ? {} : { error }) });
  return end;
}

type OpenRun = Omit<RunContext, 'keys' | 'holdOf' | 'away'>;

/** Everything that can block this run. */
function holdsOf(run: OpenRun, opened: OpenServices, disks: readonly string[]) {
  const disk = new DiskHolds([run.folder.dir, ...disks]);
  const engine = opened.engineWatch === null ? null : new EngineHolds(opened.engineWatch, () => run.state());
  return async (error: unknown, left: boolean, unfinished?: string): Promise<Hold | null> =>
    (left ? null : await disk.of(error, unfinished ?? null)) ?? (await engine?.of(error, left)) ?? null;
}

/** From waiting for the device to the outcome. Throws HoldError, and errors of the journal. */
async function onePass(
  run: OpenRun & Pick<RunContext, 'holdOf' | 'away'>,
  opened: OpenServices,
  stops: AttemptStops,
  options: AttemptOptions,
): Promise<RunEnd> {
  const held: { release: (() => Promise<void>) | null } = { release: null };
  try {
    const applying = stepsOf(run.spec);
    const steps = options.steps.filter((step) => applying.includes(step.id));
    await opened.reclaim();
    await forgetChanged(run, steps, await stepKeys(steps, run));
    const due = stepsUntil(steps, run.until);
    if (needsDevice(plannedSteps(due, run.state(), await stepKeys(steps, run)))) {
      const signals = { cancel: stops.cancel.signal, pause: stops.pause.signal };
      held.release = await awaitDevice(run, options.takeDevice, signals);
      if (held.release === null) return await stoppedWhileWaiting(run, stops);
    }
    // Not a copy: steps share `server` through it. Keys are recomputed, as files may change during a wait.
    const context: RunContext = Object.assign(run, { keys: await stepKeys(steps, run) });
    return await runPipeline(context, steps, stops.cancel.signal, options.cache);
  } catch (error) {
    throw await toHoldError(run, error);
  } finally {
    // After the server has stopped, so that the next run finds an idle machine.
    await held.release?.().catch(() => undefined);
  }
}

/**
 * One attempt at a run, from waiting for its device to its outcome in the journal. Blocked by a full disk or an
 * unavailable engine, it waits without resources and continues at the same step or level. Never rejects, and releases
 * everything.
 */
export async function attemptRun(
  run: OpenRun,
  opened: OpenServices,
  stops: AttemptStops,
  options: AttemptOptions,
): Promise<RunEnd> {
  const stopWatching = watchRequests(run.folder, stops);
  const holds = holdsOf(run, opened, options.disks);
  try {
    for (;;) {
      const away = new AbortController();
      const stopLooking = opened.engineWatch?.start(() =>
        away.abort(new LeaveRunning('The engine is unavailable')),
      );
      const pass = Object.assign(run, {
        away: away.signal,
        holdOf: (error: unknown, unfinished?: string) => holds(error, away.signal.aborted, unfinished),
      });
      const end = await onePass(pass, opened, stops, options)
        .catch((error: unknown) => {
          if (error instanceof HoldError) return error;
          throw error;
        })
        .finally(() => stopLooking?.());
      if (!(end instanceof HoldError)) return end;
      const signals = { cancel: stops.cancel.signal, pause: stops.pause.signal };
      if (!(await waitOut(run, end.hold, signals, stops.continueNow))) {
        return await stoppedWhileWaiting(run, stops);
      }
    }
  } catch (error) {
    // An input may also be unreadable.
    return await failedEnd(run, error);
  } finally {
    stopWatching();
    // The next sweep ends what an unavailable engine keeps.
    await opened.release().catch(() => undefined);
  }
}
