import { setTimeout as sleep } from 'node:timers/promises';
import { linkedAbort } from '../platform/abort';
import type { StopSignals } from './device-turn';
import type { ContinueNow, Hold } from './hold';
import { HeldUp } from './hold';
import type { RunContext } from './step';

/** Passes on what ended the work, as {@link HeldUp} where the run is only held up. */
export async function heldUpOr(
  run: Pick<RunContext, 'holdOf'>,
  error: unknown,
  unfinished?: string,
): Promise<unknown> {
  if (error instanceof HeldUp) return error;
  const hold = await run.holdOf(error, unfinished);
  return hold === null ? error : new HeldUp(hold, error);
}

/**
 * Waits until the hold is over or someone asks to continue, with the wait in the journal; on a disk without room for the
 * line it is told at once all the same, and written as soon as it fits.
 * @returns false when the run was stopped while it waited.
 */
export async function waitOut(
  run: Pick<RunContext, 'runId' | 'append' | 'state' | 'emit'>,
  hold: Hold,
  signals: StopSignals,
  continueNow: ContinueNow,
): Promise<boolean> {
  const { controller: stopped, dispose } = linkedAbort(signals.cancel, signals.pause);
  const asked = { now: false, wake: new AbortController() };
  const { controller: woken, dispose: disposeWake } = linkedAbort(stopped.signal, asked.wake.signal);
  const stopListening = continueNow.listen(() => {
    asked.now = true;
    asked.wake.abort();
  });
  const isStopped = () => stopped.signal.aborted;
  const told = async (body: Parameters<RunContext['append']>[0]): Promise<boolean> =>
    run.append(body).then(
      () => true,
      () => false,
    );
  const { reason, what } = hold.wait;
  const begin = { type: 'run-waiting' as const, for: what, reason, error: hold.error };
  try {
    let isTold = await told(begin);
    if (!isTold) run.emit({ type: 'held-up', runId: run.runId, wait: hold.wait });
    while (!isStopped()) {
      await sleep(hold.everyMs, undefined, { signal: woken.signal }).catch(() => undefined);
      if (!isTold) isTold = await told(begin);
      if (isStopped() || !(asked.now || (await hold.isOver()))) continue;
      // What cannot even take this line has no room for the run.
      if (!isTold || (await told({ type: 'run-waiting', for: null }))) return true;
      asked.now = false;
    }
    return false;
  } finally {
    stopListening();
    disposeWake();
    dispose();
  }
}
