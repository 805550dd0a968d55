import { linkedAbort } from '../platform/abort';
import type { RunContext } from './step';

/** How an attempt is stopped from outside. */
export interface StopSignals {
  /** Now. */
  readonly cancel: AbortSignal;
  /** Before the next step or level. */
  readonly pause: AbortSignal;
}

/** Waits for the device of a run; throws when the signal asks. */
export type TakeDevice = (
  run: Pick<RunContext, 'runId' | 'spec'>,
  signal: AbortSignal,
  onWaiting: (forWhat: string) => Promise<void>,
) => Promise<() => Promise<void>>;

/**
 * The device for a run, with the wait in its journal. Waiting ends at once when a stop is asked for: there is nothing
 * that would have to come to its end first.
 * @returns the release; null when it was stopped while it waited.
 */
export async function awaitDevice(
  run: Pick<RunContext, 'runId' | 'spec' | 'append' | 'state'>,
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
