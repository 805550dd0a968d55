import { toWire, type WireError } from '../../contract/errors';
import { localHost } from '../../contract/host/host-name';
import { nextRun } from '../../contract/host/host-text';
import { exitCodeOf, exitCodes, formatError, type Output } from '../output';
import { workOn } from '../work';
import { type Ended, type Place, type Session, started, withoutDocument } from './matrix-session';
import type { PlacedRun } from './place-runs';

/** Works on one run to its end. Never throws: what keeps it from its start is its result. */
async function worked(session: Session, run: PlacedRun, place: Place | null, output: Output): Promise<Ended> {
  const { core, options, stop } = session;
  let runId = run.state?.runId ?? null;
  try {
    const created = await started(session, run, place);
    runId = created;
    if (stop.signal.aborted) {
      return {
        ...run,
        state: (await core.handlers['runs.show']({ runId: created })).state,
        code: exitCodes.cancelled,
      };
    }
    const { verbose = false, skipPreflight = false } = options;
    const code = await stop.answeredBy(() =>
      workOn(core, created, withoutDocument(output), { verbose, skipPreflight }),
    );
    return { ...run, state: (await core.handlers['runs.show']({ runId: created })).state, code };
  } catch (cause) {
    const error = toWire(cause);
    output.say(formatError(error));
    const state = runId === null ? null : (await core.handlers['runs.show']({ runId })).state;
    return { ...run, state, error, code: exitCodeOf(error) };
  }
}

const isDue = ({ leftOut, error, state }: PlacedRun): boolean =>
  leftOut === null && error === null && state?.status !== 'done';

/** One that is left as it is. */
const notDue = (run: PlacedRun): Ended => ({
  ...run,
  code: run.leftOut === null && run.error !== null ? exitCodeOf(run.error) : exitCodes.done,
});

const gone: ReadonlySet<WireError['code']> = new Set(['host-unreachable', 'docker-unreachable']);

/** Whether the host went away before anything of the run was measured there. */
function isLost({ state, error, leftOut }: Ended): boolean {
  const why = error ?? state?.error ?? null;
  if (why === null || leftOut !== null || !gone.has(why.code)) return false;
  const { offline, online } = state?.scenarios ?? { offline: null, online: null };
  return (offline?.points.length ?? 0) + (online?.points.length ?? 0) === 0;
}

interface Waiting {
  readonly run: PlacedRun;
  /** Names of hosts; "local" is this machine. */
  readonly places: readonly string[];
}

const wordsOf = ({ axes }: PlacedRun): string => axes.map(({ value }) => value).join(', ');

interface LaneWork {
  readonly session: Session;
  readonly due: readonly PlacedRun[];
  readonly outputOf: (place: string, run: PlacedRun) => Output;
}

/** Work on runs at the places that they can be measured at: each takes one at a time, and no place waits for another. */
async function workedInLanes({ session, due, outputOf }: LaneWork): Promise<readonly Ended[]> {
  let waiting: readonly Waiting[] = due.map((run) => ({
    run,
    places: run.placesThere?.map(({ host }) => host) ?? [localHost],
  }));
  const lanes = [...new Set(waiting.flatMap(({ places }) => places))];
  const busy = new Map<string, Promise<void>>();
  const ended: Ended[] = [];
  const without = (host: string, { run, places }: Waiting): Waiting => ({
    run,
    places: places.length > 1 ? places.filter((place) => place !== host) : places,
  });
  const workAt = async (host: string, taken: Waiting): Promise<void> => {
    const { run, places } = taken;
    const output = outputOf(host, run);
    output.say(`\n${due.indexOf(run) + 1} of ${due.length}: ${wordsOf(run)}`);
    const place = run.placesThere?.find((one) => one.host === host) ?? null;
    const end = await worked(session, run, place, output);
    // What fits elsewhere too does not wait for a host that is away.
    const isAway = isLost(end) && !session.stop.signal.aborted;
    if (isAway) waiting = waiting.map((one) => without(host, one));
    if (isAway && places.length > 1) {
      output.say(
        `${host} does not respond, and nothing of the run was measured: another host starts it anew.`,
      );
      waiting = [without(host, { run: { ...run, state: null }, places }), ...waiting];
    } else ended.push(end);
  };
  for (;;) {
    for (const host of lanes) {
      const taken = busy.has(host) || session.stop.signal.aborted ? null : nextRun(host, waiting);
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
  return [...ended, ...waiting.map(({ run }): Ended => ({ ...run, code: exitCodes.cancelled }))];
}

/** Letters of the line that moves, for all lanes together: one that is wrapped cannot be erased. */
const mostLetters = 110;

/** Where several runs say at the same time what they do. */
interface LaneOutputs {
  /** Lines with this prefix, and a part of the one line that moves. */
  lane(prefix: string): Output;
}

/** One terminal for several lanes: each line names its lane, and the line that moves has a part of each. */
export function createLaneOutputs(output: Output): LaneOutputs {
  const moving = new Map<string, string>();
  const draw = (): void => {
    if (!output.live) return;
    const each = Math.max(0, Math.floor(mostLetters / Math.max(1, moving.size)) - 2);
    const parts = [...moving].sort(([one], [other]) => (one < other ? -1 : 1));
    output.rewrite(parts.map(([, text]) => text.slice(0, each)).join('  '));
  };
  return {
    lane: (prefix) => ({
      ...output,
      json: false,
      document: () => undefined,
      clearScreen: () => undefined,
      say: (text) => {
        moving.delete(prefix);
        if (output.live) output.rewrite('');
        for (const line of text.split('\n')) if (line.trim() !== '') output.say(`${prefix} ${line}`);
        if (moving.size > 0) draw();
      },
      rewrite: (line) => {
        const text = line.replace(/^\s*…\s*/, '').trim();
        if (text === '') moving.delete(prefix);
        else moving.set(prefix, `${prefix} ${text}`);
        draw();
      },
    }),
  };
}

/**
 * Every run that is due: on this machine one after the other, on several hosts at the same time, one run a host. A failed
 * one stops no other.
 */
export async function workedOff(session: Session, runs: readonly PlacedRun[]): Promise<readonly Ended[]> {
  const due = runs.filter(isDue);
  const isSpread = new Set(due.flatMap(({ hosts = [localHost] }) => hosts)).size > 1;
  const outputs = createLaneOutputs(session.output);
  const outputOf = (host: string, run: PlacedRun): Output =>
    isSpread ? outputs.lane(`[${host} ${run.number}]`) : session.output;
  const ended = [
    ...(await workedInLanes({ session, due, outputOf })),
    ...runs.filter((run) => !isDue(run)).map(notDue),
  ];
  return ended.toSorted((one, other) => one.number - other.number);
}
