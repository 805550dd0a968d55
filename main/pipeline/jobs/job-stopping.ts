import { setTimeout as sleep } from 'node:timers/promises';
import { toWire, type WireError, WorkbenchError } from '../../contract/errors';
import type { JobEnd } from '../../contract/job/run-job';

/** Abort reason when the scheduler ends the job. */
export class JobStopping extends Error {
  override readonly name = 'JobStopping';

  /** @param end the reason, as far as the scheduler has given it */
  constructor(readonly end: Promise<JobEnd>) {
    super('The job is being ended');
  }
}

/** A child's end may be seen this long before the scheduler's signal. */
const signalLagMs = 1000;

/** See `RunContext.isStopped`. */
export async function isStoppedSoon(signal: AbortSignal): Promise<boolean> {
  if (!signal.aborted) await sleep(signalLagMs, undefined, { signal }).catch(() => undefined);
  return signal.aborted;
}

/** If only the job ends, work is paused, and the next job continues it. */
async function endsOnlyJob({ reason }: AbortSignal): Promise<boolean> {
  return reason instanceof JobStopping && (await reason.end) !== 'cancelled';
}

/** The outcome of an aborted attempt. @param text for cancelled runs */
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

/** Queues stops until a run has begun. */
export class EarlyStops {
  private readonly beginning = new Map<string, Beginning>();

  /** @param begin may ask whether an immediate stop was requested meanwhile */
  async during<Begun>(runId: string, begin: (isAskedNow: () => boolean) => Promise<Begun>): Promise<Begun> {
    // The second of two concurrent attempts is refused.
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

  /** When the run has begun or failed to; null if it is not beginning. */
  begun(runId: string, when: 'soon' | 'now'): Promise<void> | null {
    const one = this.beginning.get(runId);
    if (one === undefined) return null;
    if (when === 'now') one.isAskedNow = true;
    return one.begun;
  }
}
