import { setTimeout as sleep } from 'node:timers/promises';
import { fromWire } from '../contract/errors';
import type { RunSpec } from '../contract/run/run-spec';
import { linkedAbort } from '../platform/abort';
import { type ContinueNow, type Hold, HoldError } from './hold';
import type { RunContext } from './step';

interface StopSignals {
  readonly cancel: AbortSignal;
  readonly pause: AbortSignal;
}

interface DeviceRun {
  readonly runId: string;
  readonly spec: Pick<RunSpec, 'engine'>;
  /** Host that sees the running Triton; absent: this machine. */
  readonly host?: string | undefined;
}

/** Throws when the signal fires. */
export type TakeDevice = (
  run: DeviceRun,
  signal: AbortSignal,
  onWaiting: (forWhat: string) => Promise<void>,
) => Promise<() => Promise<void>>;

/** Queues for the device and journals the wait; a stop ends it at once. @returns the release; null when stopped */
export async function awaitDevice(
  run: DeviceRun & Pick<RunContext, 'append' | 'state'>,
  take: TakeDevice,
  signals: StopSignals,
): Promise<(() => Promise<void>) | null> {
  const { controller, dispose } = linkedAbort(signals.cancel, signals.pause);
  try {
    const release = await take(run, controller.signal, (forWhat) =>
      run.append({ type: 'run-waiting', for: forWhat }),
    );
    try {
      if (run.state().waitsFor !== null) await run.append({ type: 'run-waiting', for: null });
    } catch (error) {
      await release();
      throw error;
    }
    return release;
  } catch (error) {
    if (controller.signal.aborted) return null;
    throw error;
  } finally {
    dispose();
  }
}

/** Rethrows as {@link HoldError} if the run is only blocked. */
export async function toHoldError(
  run: Pick<RunContext, 'holdOf'>,
  error: unknown,
  unfinished?: string,
): Promise<unknown> {
  if (error instanceof HoldError) return error;
  const hold = await run.holdOf(error, unfinished);
  return hold === null ? error : new HoldError(hold, error);
}

/**
 * Waits until the block is over or someone continues, and journals the wait, or emits it if the disk has no room for
 * the line yet.
 * @returns false when stopped. Throws the blocking error after its limit.
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
  const tryAppend = async (body: Parameters<RunContext['append']>[0]): Promise<boolean> =>
    run.append(body).then(
      () => true,
      () => false,
    );
  const { reason, what } = hold.wait;
  const begin = { type: 'run-waiting' as const, for: what, reason, error: hold.error };
  try {
    const startedMs = performance.now();
    let isAppended = await tryAppend(begin);
    if (!isAppended) run.emit({ type: 'held-up', runId: run.runId, wait: hold.wait });
    while (!isStopped()) {
      await sleep(hold.everyMs, undefined, { signal: woken.signal }).catch(() => undefined);
      if (!isAppended) isAppended = await tryAppend(begin);
      if (isStopped()) continue;
      if (!(asked.now || (await hold.isOver()))) {
        if (performance.now() - startedMs > (hold.limitMs ?? Infinity)) throw fromWire(hold.error);
        continue;
      }
      // A disk without room for this line has none for the run.
      if (!isAppended || (await tryAppend({ type: 'run-waiting', for: null }))) return true;
      asked.now = false;
    }
    return false;
  } finally {
    stopListening();
    disposeWake();
    dispose();
  }
}
