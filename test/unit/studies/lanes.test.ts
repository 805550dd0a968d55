import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { JournalBody } from '../../../main/contract/run/run-events';
import { engineOf } from '../../../main/contract/run/run-source';
import { dockerEngineSchema, type RunSpec } from '../../../main/contract/run/run-spec';
import type { DeployedRun, RunState } from '../../../main/contract/run/run-state';
import { workInLanes } from '../../../main/studies/lanes';
import type { PlacedTrial, StudySession } from '../../../main/studies/study-hands';
import {
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
  stepBodies,
} from '../../support/run-state';
import { placedTrial, studySession } from '../../support/study-session';
import { until } from '../../support/until';

type Finish = Extract<JournalBody, { type: 'run-finished' }>;
const done: Finish = { type: 'run-finished', outcome: 'done' };
const lost: Finish = {
  type: 'run-finished',
  outcome: 'failed',
  error: { code: 'docker-unreachable', message: 'no answer' },
};

interface Working {
  readonly runId: string;
  readonly host: string;
  readonly end: (finish: Finish, measured?: boolean) => void;
}

/** Hands whose runs end when the test says so. */
function heldHands(refusedHosts: readonly string[] = []) {
  const states = new Map<string, DeployedRun>();
  const working: Working[] = [];
  const events: string[] = [];
  const hostOf = (runId: string): string => {
    const engine = states.get(runId)?.source.spec.engine;
    return (engine?.kind === 'docker' ? engine.host : undefined) ?? 'local';
  };
  const load = (runId: string) => Promise.resolve({ state: states.get(runId), folder: {} });
  const resolve = ({ overrides }: { readonly overrides: { readonly engine?: object } }) =>
    Promise.resolve(
      specFixture((spec) => {
        spec.engine = dockerEngineSchema.parse({ kind: 'docker', ...overrides.engine });
      }),
    );
  const runs = {
    annotate: () => Promise.resolve(),
    cancel: (runId: string) => {
      events.push(`cancel ${runId}`);
      return Promise.resolve();
    },
    pause: () => Promise.resolve(),
    create: (spec: RunSpec) => {
      const host = spec.engine.kind === 'docker' ? spec.engine.host : undefined;
      if (host !== undefined && refusedHosts.includes(host)) {
        return Promise.reject(new WorkbenchError('docker-unreachable', 'no answer'));
      }
      const runId = `run-${states.size + 1}`;
      states.set(runId, deployed(stateOf(createdBodies(spec))));
      return Promise.resolve(runId);
    },
    execute: (runId: string) => {
      const host = hostOf(runId);
      events.push(`begin ${host}`);
      const end = new Promise((resolve) => {
        working.push({
          ...{ runId, host },
          end: (finish, measured = false) => {
            const point = measurementBody('offline', pointFixture());
            const spec = states.get(runId)?.source.spec ?? specFixture();
            states.set(
              runId,
              deployed(
                stateOf([
                  ...createdBodies(spec),
                  ...(measured ? [...preparationBodies(), ...stepBodies('offline', [point])] : []),
                  finish,
                ]),
              ),
            );
            events.push(`end ${host}`);
            resolve({ outcome: finish.outcome, error: finish.error ?? null });
          },
        });
      });
      return Promise.resolve({ end });
    },
  };
  return { hands: { resolve, runs, store: { load } }, working, events };
}

const placeOf = ({ state }: { readonly state: RunState | null }): string => {
  const engine = state === null ? null : engineOf(state);
  return (engine?.kind === 'docker' ? engine.host : undefined) ?? 'local';
};

/** Ends whatever is under way until the work is over. @returns the most that was under way on one host at a time */
async function endAll(working: readonly Working[], isOver: () => boolean): Promise<number> {
  let [most, next] = [0, 0];
  while (!isOver()) {
    const open = working.slice(next);
    for (const { host } of open) most = Math.max(most, open.filter((one) => one.host === host).length);
    open[0]?.end(done, true);
    next += open.length > 0 ? 1 : 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return most;
}

/** By number. */
const worked = async (session: StudySession, due: readonly PlacedTrial[]) =>
  (await workInLanes(session, due)).toSorted((one, other) => one.number - other.number);

describe('the runs of a matrix over several hosts', () => {
  it('are measured by every host at the same time, one run a host, each run once', async () => {
    const { hands, working } = heldHands();
    const { session, recorded } = studySession(hands);
    const over = { is: false };
    const ended = worked(
      session,
      [1, 2, 3, 4, 5].map((number) => placedTrial(number, number === 5 ? ['b'] : ['a', 'b'])),
    ).finally(() => {
      over.is = true;
    });
    await until('both hosts measure', () => Promise.resolve(working.length === 2));
    expect(working.map(({ host }) => host).sort()).toEqual(['a', 'b']);
    // What fits nowhere else goes first where it fits.
    expect(recorded).toContainEqual({ type: 'trial-begun', number: 5, turn: 5, of: 5, host: 'b' });
    expect(await endAll(working, () => over.is)).toBe(1);
    const results = await ended;
    expect(results.map(({ number, outcome }) => [number, outcome])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [n, 'done']),
    );
    expect(new Set(working.map(({ runId }) => runId)).size).toBe(5);
    expect(working).toHaveLength(5);
  });

  it('are one after the other on this machine, without a prefix', async () => {
    const { hands, working, events } = heldHands();
    const { session, recorded } = studySession(hands);
    const over = { is: false };
    const ended = worked(session, [placedTrial(1, null), placedTrial(2, null)]).finally(() => {
      over.is = true;
    });
    await endAll(working, () => over.is);
    await ended;
    expect(events).toEqual(['begin local', 'end local', 'begin local', 'end local']);
    expect(recorded[0]).toEqual({ type: 'trial-begun', number: 1, turn: 1, of: 2, host: null });
  });

  it('go to another host where theirs goes away before it measured anything', async () => {
    const { hands, working } = heldHands();
    const { session, recorded } = studySession(hands);
    const ended = worked(session, [
      placedTrial(1, ['a', 'b']),
      placedTrial(2, ['b']),
      placedTrial(3, ['a', 'b']),
    ]);
    await until('both measure', () => Promise.resolve(working.length === 2));
    working.find(({ host }) => host === 'a')?.end(lost);
    await until('it is said', () =>
      Promise.resolve(recorded.some((entry) => entry.type === 'trial-ended' && entry.isMoved)),
    );
    for (const at of [0, 1, 2, 3]) {
      await until('a run is under way', () => Promise.resolve(working.length > at));
      if (working[at]?.host === 'b') working[at].end(done, true);
    }
    const results = await ended;
    expect(results.map((one) => [placeOf(one), one.outcome])).toEqual([
      ['b', 'done'],
      ['b', 'done'],
      ['b', 'done'],
    ]);
    // The one that was lost, and three that were measured.
    expect(working.map(({ host }) => host).sort()).toEqual(['a', 'b', 'b', 'b']);
  });

  it('stay on a host that goes away later, and fail there', async () => {
    const { hands, working } = heldHands();
    const { session } = studySession(hands);
    const ended = worked(session, [placedTrial(1, ['a', 'b'])]);
    await until('it measures', () => Promise.resolve(working.length === 1));
    working[0]?.end(lost, true);
    const [only] = await ended;
    expect([only?.outcome, working.length]).toEqual(['failed', 1]);
  });

  it('go on to another host also where theirs refuses the start', async () => {
    const { hands, working } = heldHands(['a']);
    const { session } = studySession(hands);
    const ended = worked(session, [placedTrial(1, ['a', 'b'])]);
    await until('it measures', () => Promise.resolve(working.length === 1));
    expect(working[0]?.host).toBe('b');
    working[0]?.end(done, true);
    expect((await ended).map(({ outcome }) => outcome)).toEqual(['done']);
  });

  it('are not begun any more once Ctrl-C asked', async () => {
    const { hands, working, events } = heldHands();
    const { session } = studySession(hands);
    const ended = worked(
      session,
      [1, 2, 3].map((number) => placedTrial(number, ['a', 'b'])),
    );
    await until('both measure', () => Promise.resolve(working.length === 2));
    session.stops.cancel.abort();
    expect(events.slice(2)).toEqual(['cancel run-1', 'cancel run-2']);
    for (const one of working) one.end({ type: 'run-finished', outcome: 'cancelled' });
    expect((await ended).map(({ outcome, state }) => [outcome, state === null])).toEqual([
      ['cancelled', false],
      ['cancelled', false],
      ['cancelled', true],
    ]);
    expect(working).toHaveLength(2);
  });
});
