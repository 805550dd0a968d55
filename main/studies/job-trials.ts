import { toWire } from '../contract/errors';
import type { RunOutcome } from '../contract/run/run-events';
import { linkedAbort } from '../platform/abort';
import { createdRun, notBegun, stopWith, withState } from './begin-trial';
import { type EndedTrial, isStopped, type PlacedTrial, type StudySession } from './study-hands';

interface Begun {
  readonly trial: PlacedTrial;
  readonly runId: string;
}

/** Creates missing runs until a stop. Never throws: errors are results. */
async function created(session: StudySession, due: readonly PlacedTrial[]) {
  const begun: Begun[] = [];
  const refused: EndedTrial[] = [];
  for (const trial of due) {
    const { number } = trial;
    if (isStopped(session.stops)) {
      refused.push(notBegun(session, trial));
      continue;
    }
    try {
      begun.push({ trial, runId: await createdRun(session, trial) });
    } catch (cause) {
      const error = toWire(cause);
      await session.record({ type: 'trial-ended', number, outcome: null, error, isMoved: false });
      refused.push({ ...trial, error, outcome: null });
    }
  }
  return { begun, refused };
}

/** Submits runs until a stop. */
async function handedOver(session: StudySession, begun: readonly Begun[]) {
  const { hands, spec, stops, record } = session;
  const all = linkedAbort(...Object.values(stops).map(({ signal }: AbortController) => signal)).controller
    .signal;
  const runIds = begun.map(({ runId }) => runId);
  if (!all.aborted) await hands.runs.submit(runIds, spec.name, all);
  const submitted: Begun[] = [];
  const held: EndedTrial[] = [];
  for (const one of begun) {
    const trial = await withState(session, one.trial, one.runId);
    const { status, job } = (await hands.store.load(one.runId)).state;
    if (job === null || (all.aborted && status !== 'running')) held.push(notBegun(session, trial));
    else {
      submitted.push(one);
      await record({ type: 'trial-run', number: trial.number, runId: one.runId, job: job.id });
    }
  }
  return { submitted, held };
}

/** Resolves when waiting is to end. */
function left(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener(
      'abort',
      () => {
        resolve(null);
      },
      { once: true },
    );
  });
}

async function followed(session: StudySession, { trial, runId }: Begun): Promise<EndedTrial> {
  const { hands, stops, record } = session;
  const dispose = stopWith(session, runId, { pause: 'pause', cancel: 'cancel' });
  const isLeft = linkedAbort(stops.leave.signal, stops.close.signal).controller.signal;
  const end = await Promise.race([hands.runs.follow(runId), left(isLeft)]).finally(dispose);
  const outcome: RunOutcome = end?.outcome ?? 'cancelled';
  const ended = { ...(await withState(session, trial, runId)), outcome };
  await record({ type: 'trial-ended', number: trial.number, outcome, error: null, isMoved: false });
  return ended;
}

/** `ended` null: jobs continue without waiting. */
export interface JobsEnded {
  readonly ended: readonly EndedTrial[] | null;
  /** Stopped before all were submitted. */
  readonly isCutShort: boolean;
}

/** Submits due runs together and follows them. Runs with an active job are only followed. */
export async function workAsJobs(
  session: StudySession,
  due: readonly PlacedTrial[],
  { detach }: { readonly detach: boolean },
): Promise<JobsEnded> {
  const { begun, refused } = await created(session, due);
  const { submitted, held } = await handedOver(session, begun);
  const isCutShort = held.length > 0 && isStopped(session.stops);
  if (detach) return { ended: null, isCutShort };
  const ended = await Promise.all(submitted.map((one) => followed(session, one)));
  return { ended: [...ended, ...held, ...refused], isCutShort };
}
