import { WorkbenchError, toWire } from '../contract/errors';
import type { WireError } from '../contract/errors';
import type { RunOutcome } from '../contract/run-events';
import { stepsOf } from '../contract/run-events';
import { exists } from '../platform/files';
import type { ArtefactCache } from '../store/artefact-cache';
import { awaitDevice } from './device-turn';
import type { TakeDevice } from './device-turn';
import { needsDevice, plannedSteps, stepKeys } from './plan';
import { runPipeline } from './runner';
import type { RunContext, RunServices, Step } from './step';
import { forgetChanged } from './step-files';

const requestPollMs = 500;

/** What a run works with; opened for one attempt. */
export interface OpenServices {
  readonly services: RunServices;
  /** Before the steps: ends what an earlier attempt left and this one cannot take up. */
  reclaim(): Promise<void>;
  /** After the steps: nothing of the run is left running. */
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
}

/** The ways to stop one attempt. */
export interface AttemptStops {
  readonly cancel: AbortController;
  readonly pause: AbortController;
}

/** Looks for what other processes asked of the run. Returns the disposer. */
function watchRequests(folder: RunContext['folder'], stops: AttemptStops): () => void {
  const look = (path: string, stop: AbortController) => {
    exists(path).then(
      (asked) => {
        if (asked) stop.abort();
      },
      // A folder that cannot be read fails the run where it writes next.
      () => undefined,
    );
  };
  const poll = setInterval(() => {
    look(folder.cancelRequest, stops.cancel);
    look(folder.pauseRequest, stops.pause);
  }, requestPollMs);
  return () => {
    clearInterval(poll);
  };
}

async function stoppedWhileWaiting(run: Pick<RunContext, 'append'>, stops: AttemptStops): Promise<RunEnd> {
  if (!stops.cancel.signal.aborted) {
    await run.append({ type: 'run-finished', outcome: 'paused' });
    return { outcome: 'paused', error: null };
  }
  const error = toWire(new WorkbenchError('cancelled', 'Cancelled while it waited for its turn to measure'));
  await run.append({ type: 'run-finished', outcome: 'cancelled', error });
  return { outcome: 'cancelled', error };
}

/**
 * One attempt at a run from the wait for its device to its outcome in the journal. Never rejects, and leaves nothing
 * running or held.
 */
export async function attemptRun(
  run: Omit<RunContext, 'keys'>,
  opened: OpenServices,
  stops: AttemptStops,
  options: AttemptOptions,
): Promise<RunEnd> {
  const stopWatching = watchRequests(run.folder, stops);
  const held: { release: (() => Promise<void>) | null } = { release: null };
  try {
    const applying = stepsOf(run.spec);
    const steps = options.steps.filter((step) => applying.includes(step.id));
    await opened.reclaim();
    await forgetChanged(run, steps, await stepKeys(steps, run));
    if (needsDevice(plannedSteps(steps, run.state(), await stepKeys(steps, run)))) {
      const signals = { cancel: stops.cancel.signal, pause: stops.pause.signal };
      held.release = await awaitDevice(run, options.takeDevice, signals);
      if (held.release === null) return await stoppedWhileWaiting(run, stops);
    }
    // Not a copy: steps share `server` through this one object. The keys once more: files may change during a wait.
    const context: RunContext = Object.assign(run, { keys: await stepKeys(steps, run) });
    return await runPipeline(context, steps, stops.cancel.signal, options.cache);
  } catch (error) {
    // The journal could not be written, or an input could not be read: said where it still can be.
    const wire = toWire(error);
    await run.append({ type: 'run-finished', outcome: 'failed', error: wire }).catch(() => undefined);
    return { outcome: 'failed', error: wire };
  } finally {
    stopWatching();
    // An engine that is away keeps them; the next sweep ends them.
    await opened.release().catch(() => undefined);
    // After the server: the next in line is to find the machine idle.
    await held.release?.().catch(() => undefined);
  }
}
