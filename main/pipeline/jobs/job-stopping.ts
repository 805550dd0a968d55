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
