import { describe, expect, it } from 'vitest';
import type { Place, Session, Stop } from '../../../../main/cli/matrix/matrix-session';
import type { PlacedRun } from '../../../../main/cli/matrix/place-runs';
import { workedOff } from '../../../../main/cli/matrix/work-off';
import { exitCodes, type Output } from '../../../../main/cli/output';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import { engineOf } from '../../../../main/contract/run/run-source';
import { dockerEngineSchema, type RunSpec } from '../../../../main/contract/run/run-spec';
import type { DeployedRun, RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import {
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
  stepBodies,
} from '../../../support/run-state';
import { until } from '../../../support/until';

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

type Run = Pick<Working, 'runId'>;

/** A core whose runs end when the test says so. */
function heldCore(refusedHosts: readonly string[] = []) {
  const states = new Map<string, DeployedRun>();
  const working: Working[] = [];
  const events: string[] = [];
  const hostOf = (runId: string): string => {
    const engine = states.get(runId)?.source.spec.engine;
    return (engine?.kind === 'docker' ? engine.host : undefined) ?? 'local';
  };
  const core = {
    handlers: {
      'settings.get': () => Promise.resolve({ values: { 'deployment.p99BudgetMs': null } }),
      'runs.annotate': () => Promise.resolve(null),
      'jobs.isHandedOver': () => Promise.resolve(false),
      'spec.resolve': ({ overrides }: { readonly overrides: { readonly engine?: object } }) =>
        Promise.resolve(
          specFixture((spec) => {
            spec.engine = dockerEngineSchema.parse({ kind: 'docker', ...overrides.engine });
          }),
        ),
      'runs.create': ({ spec }: { readonly spec: RunSpec }) => {
        const host = spec.engine.kind === 'docker' ? spec.engine.host : undefined;
        if (host !== undefined && refusedHosts.includes(host)) {
          return Promise.reject(new WorkbenchError('docker-unreachable', 'no answer'));
        }
        const runId = `run-${states.size + 1}`;
        states.set(runId, deployed(stateOf(createdBodies(spec))));
        return Promise.resolve({ runId });
      },
      'runs.show': ({ runId }: Run) => Promise.resolve({ state: states.get(runId), dir: '' }),
      'runs.cancel': () => Promise.resolve(null),
      'runs.execute': ({ runId }: Run) => {
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
    },
    subscribe: () => () => undefined,
  };
  return { core: core as unknown as Core, working, events };
}

function sessionOf(core: Core) {
  const said: string[] = [];
  const controller = new AbortController();
  const output: Output = {
    ...{ json: false, live: false },
    say: (line) => said.push(line),
    document: () => undefined,
    rewrite: () => undefined,
    clearScreen: () => undefined,
  };
  const stop: Stop = { signal: controller.signal, answeredBy: (work) => work(), dispose: () => undefined };
  const session: Session = { core, output, options: { matrix: '' }, name: 'night', hosts: null, stop };
  return {
    session,
    said,
    stop: () => {
      controller.abort();
    },
  };
}

const run = (number: number, hosts: readonly string[] | null): PlacedRun => ({
  ...{ number, axes: [{ field: 'format', value: `format ${number}` }], spec: specFixture(), state: null },
  ...{ leftOut: null, error: null, choice: { preset: 'resnet50', overrides: {} }, typed: {}, notes: [] },
  entry: String(number),
  placesThere: hosts === null ? null : hosts.map((host): Place => ({ host, gpus: null })),
  ...(hosts === null ? {} : { hosts }),
});

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

describe('the runs of a matrix over several hosts', () => {
  it('are measured by every host at the same time, one run a host, each run once', async () => {
    const { core, working } = heldCore();
    const { session, said } = sessionOf(core);
    const over = { is: false };
    const ended = workedOff(
      session,
      [1, 2, 3, 4, 5].map((number) => run(number, number === 5 ? ['b'] : ['a', 'b'])),
    ).finally(() => {
      over.is = true;
    });
    await until('both hosts measure', () => Promise.resolve(working.length === 2));
    expect(working.map(({ host }) => host).sort()).toEqual(['a', 'b']);
    // What fits nowhere else goes first where it fits.
    expect(said).toContain('[b 5] 5 of 5: format 5');
    expect(await endAll(working, () => over.is)).toBe(1);
    const results = await ended;
    expect(results.map(({ number, code }) => [number, code])).toEqual([1, 2, 3, 4, 5].map((n) => [n, 0]));
    expect(new Set(working.map(({ runId }) => runId)).size).toBe(5);
    expect(working).toHaveLength(5);
  });

  it('are one after the other on this machine, without a prefix', async () => {
    const { core, working, events } = heldCore();
    const { session, said } = sessionOf(core);
    const over = { is: false };
    const ended = workedOff(session, [run(1, null), run(2, null)]).finally(() => {
      over.is = true;
    });
    await endAll(working, () => over.is);
    await ended;
    expect(events).toEqual(['begin local', 'end local', 'begin local', 'end local']);
    expect(said).toContain('\n1 of 2: format 1');
  });

  it('go to another host where theirs goes away before it measured anything', async () => {
    const { core, working } = heldCore();
    const { session, said } = sessionOf(core);
    const ended = workedOff(session, [run(1, ['a', 'b']), run(2, ['b']), run(3, ['a', 'b'])]);
    await until('both measure', () => Promise.resolve(working.length === 2));
    working.find(({ host }) => host === 'a')?.end(lost);
    await until('it is said', () =>
      Promise.resolve(said.some((line) => line.includes('another host starts it anew'))),
    );
    for (const at of [0, 1, 2, 3]) {
      await until('a run is under way', () => Promise.resolve(working.length > at));
      if (working[at]?.host === 'b') working[at].end(done, true);
    }
    const results = await ended;
    expect(results.map((one) => [placeOf(one), one.code])).toEqual([
      ['b', 0],
      ['b', 0],
      ['b', 0],
    ]);
    // The one that was lost, and three that were measured.
    expect(working.map(({ host }) => host).sort()).toEqual(['a', 'b', 'b', 'b']);
  });

  it('stay on a host that goes away later, and fail there', async () => {
    const { core, working } = heldCore();
    const { session } = sessionOf(core);
    const ended = workedOff(session, [run(1, ['a', 'b'])]);
    await until('it measures', () => Promise.resolve(working.length === 1));
    working[0]?.end(lost, true);
    const [only] = await ended;
    expect([only?.code, working.length]).toEqual([exitCodes.failed, 1]);
  });

  it('go on to another host also where theirs refuses the start', async () => {
    const { core, working } = heldCore(['a']);
    const { session } = sessionOf(core);
    const ended = workedOff(session, [run(1, ['a', 'b'])]);
    await until('it measures', () => Promise.resolve(working.length === 1));
    expect(working[0]?.host).toBe('b');
    working[0]?.end(done, true);
    expect((await ended).map(({ code }) => code)).toEqual([0]);
  });

  it('are not begun any more once Ctrl-C asked', async () => {
    const { core, working } = heldCore();
    const { session, stop } = sessionOf(core);
    const ended = workedOff(
      session,
      [1, 2, 3].map((number) => run(number, ['a', 'b'])),
    );
    await until('both measure', () => Promise.resolve(working.length === 2));
    stop();
    for (const one of working) one.end({ type: 'run-finished', outcome: 'cancelled' });
    expect((await ended).map(({ code, state }) => [code, state === null])).toEqual([
      [exitCodes.cancelled, false],
      [exitCodes.cancelled, false],
      [exitCodes.cancelled, true],
    ]);
    expect(working).toHaveLength(2);
  });
});
