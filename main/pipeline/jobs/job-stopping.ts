import { setTimeout as sleep } from 'node:timers/promises';
import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import type { JobEnd } from '../../contract/job/run-job';

/** The reason of an abort by the scheduler, which ends the job that the run is worked on in. */
export class JobStopping extends Error {
  override readonly name = 'JobStopping';

  /** @param end why, as far as the scheduler has said it */
  constructor(readonly end: Promise<JobEnd>) {
    super('The job is being ended');
  }
}

/** How long the end of a child may be known before the scheduler's signal to this process. */
const signalLagMs = 1000;

/** See `RunContext.isStopped`. */
export async function isStoppedSoon(signal: AbortSignal): Promise<boolean> {
  if (!signal.aborted) await sleep(signalLagMs, undefined, { signal }).catch(() => undefined);
  return signal.aborted;
}

/** Whether only the job ends: what was under way is then paused, and the next job continues it. */
async function endsOnlyJob({ reason }: AbortSignal): Promise<boolean> {
  return reason instanceof JobStopping && (await reason.end) !== 'cancelled';
}

/** How an attempt ends whose signal was aborted. @param text of a run that was cancelled */
export async function stoppedEnd(
  signal: AbortSignal,
  text: string,
): Promise<{ readonly outcome: 'cancelled' | 'paused'; readonly error: WireError | null }> {
  if (await endsOnlyJob(signal)) return { outcome: 'paused', error: null };
  return { outcome: 'cancelled', error: toWire(new WorkbenchError('cancelled', text)) };
}

interface Beginning {
  isAskedNow: boolean;
  readonly begun: Promise<void>;
}

/** Stops that are asked of runs while they begin: until they have begun there is nothing that could be stopped. */
export class EarlyStops {
  private readonly beginning = new Map<string, Beginning>();

  /** Begins a run. @param begin may ask whether it was asked meanwhile to stop at once */
  async during<Begun>(runId: string, begin: (isAskedNow: () => boolean) => Promise<Begun>): Promise<Begun> {
    // The second of two attempts is refused, and decides nothing.
    if (this.beginning.has(runId)) return begin(() => false);
    let resolveBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      resolveBegun = resolve;
    });
    const one: Beginning = { isAskedNow: false, begun };
    this.beginning.set(runId, one);
    try {
      return await begin(() => one.isAskedNow);
    } finally {
      this.beginning.delete(runId);
      resolveBegun();
    }
  }

  /** When a run that begins has begun, or failed to; null of every other one. */
  begun(runId: string, when: 'soon' | 'now'): Promise<void> | null {
    const one = this.beginning.get(runId);
    if (one === undefined) return null;
    if (when === 'now') one.isAskedNow = true;
    return one.begun;
  }
}
