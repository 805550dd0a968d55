import { toWire, type WireError } from '../contract/errors';
import { localHost } from '../contract/host/host-name';
import { nextRun } from '../contract/host/host-text';
import { createdRun, notBegun, stopWith, withState } from './begin-trial';
import {
  type EndedTrial,
  type HostAllocation,
  isStopped,
  type PlacedTrial,
  type StudySession,
} from './study-hands';

/** Executes one run. Never throws: errors are results. */
async function worked(
  session: StudySession,
  trial: PlacedTrial,
  allocation: HostAllocation | null,
): Promise<{ readonly end: EndedTrial; readonly error: WireError | null }> {
  const { hands, spec, stops, record } = session;
  let runId = trial.state?.runId ?? null;
  try {
    runId = await createdRun(session, trial, allocation);
    await record({ type: 'trial-run', number: trial.number, runId, job: null });
    if (isStopped(stops))
      return { end: notBegun(session, await withState(session, trial, runId)), error: null };
    const dispose = stopWith(session, runId, { pause: 'pause', cancel: 'cancel', close: 'cancel' });
    try {
      const { end } = await hands.runs.execute(runId, { skipPreflight: spec.skipPreflight });
      const { outcome, error } = await end;
      return { end: { ...(await withState(session, trial, runId)), outcome }, error };
    } finally {
      dispose();
    }
  } catch (cause) {
    const error = toWire(cause);
    return { end: { ...(await withState(session, trial, runId)), error, outcome: null }, error };
  }
}

const gone: ReadonlySet<WireError['code']> = new Set(['host-unreachable', 'docker-unreachable']);

/** Whether the host became unreachable before anything was measured. */
function isLost({ state, error, leftOut }: EndedTrial): boolean {
  const why = error ?? state?.error ?? null;
  if (why === null || leftOut !== null || !gone.has(why.code)) return false;
  const { offline, online } = state?.scenarios ?? { offline: null, online: null };
  return (offline?.points.length ?? 0) + (online?.points.length ?? 0) === 0;
}

interface Waiting {
  readonly trial: PlacedTrial;
  /** Host names; "local" is this machine. */
  readonly places: readonly string[];
}

const without = (host: string, { trial, places }: Waiting): Waiting => ({
  trial,
  places: places.length > 1 ? places.filter((allocation) => allocation !== host) : places,
});

/** Distributes trials over places, one at a time per place. A failure does not stop the others. */
export async function workInLanes(
  session: StudySession,
  due: readonly PlacedTrial[],
): Promise<readonly EndedTrial[]> {
  const { stops, record } = session;
  let waiting: readonly Waiting[] = due.map((trial) => ({
    trial,
    places: trial.allocations?.map(({ host }) => host) ?? [localHost],
  }));
  const lanes = [...new Set(waiting.flatMap(({ places }) => places))];
  const busy = new Map<string, Promise<void>>();
  const ended: EndedTrial[] = [];
  const workAt = async (host: string, { trial, places }: Waiting): Promise<void> => {
    const { number } = trial;
    const allocation = trial.allocations?.find((one) => one.host === host) ?? null;
    const turn = due.findIndex((one) => one.number === number) + 1;
    await record({ type: 'trial-begun', number, turn, of: due.length, host: allocation?.host ?? null });
    const { end, error } = await worked(session, trial, allocation);
    // Trials that fit elsewhere do not wait for it.
    const isAway = isLost(end) && !isStopped(stops);
    if (isAway) waiting = waiting.map((one) => without(host, one));
    const isMoved = isAway && places.length > 1;
    await record({ type: 'trial-ended', number, outcome: end.outcome, error, isMoved });
    if (isMoved) waiting = [without(host, { trial: { ...trial, state: null }, places }), ...waiting];
    else ended.push(end);
  };
  for (;;) {
    for (const host of lanes) {
      const taken = busy.has(host) || isStopped(stops) ? null : nextRun(host, waiting);
      if (taken === null) continue;
      waiting = waiting.filter((one) => one !== taken);
      busy.set(
        host,
        workAt(host, taken).finally(() => busy.delete(host)),
      );
    }
    if (busy.size === 0) break;
    await Promise.race(busy.values());
  }
  return [...ended, ...waiting.map(({ trial }) => notBegun(session, trial))];
}
