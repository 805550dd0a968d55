import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { LoadLevel, MeasuringTurn } from '../../../main/contract/run/sweep';
import type { RunEnd } from '../../../main/pipeline/attempt';
import type { ExecuteOptions } from '../../../main/pipeline/run-options';
import type { Runs } from '../../../main/pipeline/runs';
import type { Servers } from '../../../main/pipeline/server-run';
import type { RunStore } from '../../../main/store/run-store';
import { createTestHome, type TestHome } from '../../support/home';
import { NotingRuns } from '../../support/noting-runs';
import { environmentFixture, pointFixture } from '../../support/run-state';
import { serverLoadFixture } from '../../support/server-load';

type Doing = (level: LoadLevel, runs: Runs, runId: string) => void | Promise<void>;

let home: TestHome;
let store: RunStore;
let runs: Runs;
let measured: number[];
let doing: Doing;

/** Stands for the load tool: every level that is not known gives a point, unless `doing` throws. */
const servers: Servers = {
  environmentFor: () => Promise.resolve(environmentFixture({ tritonVersion: '2.51.0' })),
  measureServer: async (load, takeTurn, listener, { signal, pauseAsked, known }) => {
    const release = await takeTurn();
    const points = [];
    const missing = [];
    for (const level of load.levels) {
      const turn: MeasuringTurn = { level, repeat: 1, loadTool: 'native' };
      if (signal.aborted || pauseAsked?.() === true) break;
      const before = known?.(turn) ?? [];
      if (before.length > 0) {
        points.push(...before);
        continue;
      }
      try {
        await doing(level, runs, runs.ids()[0] ?? '');
        const point = pointFixture(level);
        measured.push(level.concurrency);
        points.push(point);
        await listener.onPoints([point], turn);
      } catch (error) {
        const wire = { code: 'measurement-failed' as const, message: String(error) };
        missing.push({ level, error: wire });
        await listener.onMissing({ level, error: wire }, turn);
      }
    }
    await release();
    return { points, missing, found: null };
  },
};

beforeEach(async () => {
  home = await createTestHome([]);
  measured = [];
  doing = () => undefined;
  ({ store, runs } = new NotingRuns(home.path, {}, servers));
});
afterEach(() => home.remove());

const attempt = async (runId: string, options: ExecuteOptions = {}): Promise<RunEnd> =>
  (await runs.execute(runId, options)).end;
const stateOf = async (runId: string) => (await store.load(runId)).state;

describe('a run on a running Triton', () => {
  it('journals each level, and is done', async () => {
    const runId = await runs.createServer(serverLoadFixture(), { p99BudgetMs: 20 });
    expect(runId).toMatch(/-bert-perf-/);
    expect(await attempt(runId)).toEqual({ outcome: 'done', error: null });
    const state = await stateOf(runId);
    expect(state).toMatchObject({ status: 'done', p99BudgetMs: 20, origin: 'own' });
    expect(state.environment.tritonVersion).toBe('2.51.0');
    expect(state.scenarios.online.points.map(({ point }) => point.concurrency)).toEqual([1, 2]);
    expect(state.steps).toMatchObject([{ id: 'online', status: 'done' }]);
    const { runs: rows } = await store.list();
    expect(rows).toMatchObject([{ runId, preset: 'bert', onServer: 'localhost:8000', imported: null }]);
  });

  it('goes on where it was paused, and measures nothing twice', async () => {
    const runId = await runs.createServer(serverLoadFixture());
    doing = ({ concurrency }, own, id) => (concurrency === 1 ? own.pause(id) : undefined);
    expect((await attempt(runId)).outcome).toBe('paused');
    expect((await stateOf(runId)).steps).toMatchObject([{ status: 'waiting' }]);
    expect((await attempt(runId)).outcome).toBe('done');
    expect(measured).toEqual([1, 2]);
  });

  it('keeps what was measured when it is cancelled', async () => {
    const runId = await runs.createServer(serverLoadFixture());
    doing = ({ concurrency }, own, id) => (concurrency === 1 ? own.cancel(id) : undefined);
    expect(await attempt(runId)).toMatchObject({ outcome: 'cancelled', error: { code: 'cancelled' } });
    expect((await stateOf(runId)).scenarios.online.points).toHaveLength(1);
  });

  it('fails for a level without a result, keeps the others, and tries that one again', async () => {
    const runId = await runs.createServer(serverLoadFixture());
    doing = ({ concurrency }) => {
      if (concurrency === 1) throw new Error('no answer');
    };
    const end = await attempt(runId);
    expect(end).toMatchObject({ outcome: 'failed', error: { code: 'measurement-failed' } });
    expect(end.error?.details).toContain('no answer');
    const { online } = (await stateOf(runId)).scenarios;
    expect([online.points.length, online.missing.length]).toEqual([1, 1]);
    doing = () => undefined;
    expect((await attempt(runId)).outcome).toBe('done');
    expect((await stateOf(runId)).scenarios.online.missing).toEqual([]);
    expect(measured).toEqual([2, 1]);
  });

  it('says why nothing could be measured', async () => {
    const gone = new WorkbenchError('server-unreachable', 'Triton does not answer');
    ({ store, runs } = new NotingRuns(
      home.path,
      {},
      { ...servers, measureServer: () => Promise.reject(gone) },
    ));
    const runId = await runs.createServer(serverLoadFixture());
    expect(await attempt(runId)).toMatchObject({ outcome: 'failed', error: { code: 'server-unreachable' } });
    expect(await store.logTail(runId, 'online', 5)).toEqual(['ERROR: Triton does not answer']);
    expect((await stateOf(runId)).steps).toMatchObject([{ status: 'failed' }]);
  });

  it('measures anew what another version of Triton had given', async () => {
    const runId = await runs.createServer(serverLoadFixture());
    doing = ({ concurrency }, own, id) => (concurrency === 1 ? own.pause(id) : undefined);
    await attempt(runId);
    doing = () => undefined;
    const environmentFor = () => Promise.resolve(environmentFixture({ tritonVersion: '2.60.0' }));
    ({ store, runs } = new NotingRuns(home.path, {}, { ...servers, environmentFor }));
    expect((await attempt(runId)).outcome).toBe('done');
    expect(measured).toEqual([1, 1, 2]);
    expect((await stateOf(runId)).environment.tritonVersion).toBe('2.60.0');
  });

  it('of another home is read, and never continued: nobody here agreed to its load', async () => {
    const other = await createTestHome([]);
    try {
      const there = new NotingRuns(other.path, {}, servers);
      const runId = await there.runs.createServer(serverLoadFixture());
      await cp(join(other.path, 'runs', runId), join(home.path, 'runs', runId), { recursive: true });
      await expect(attempt(runId)).rejects.toMatchObject({
        code: 'input-invalid',
        message: expect.stringContaining('from elsewhere') as string,
      });
      await runs.trust(runId);
      await expect(attempt(runId)).rejects.toMatchObject({ code: 'input-invalid' });
      expect(measured).toEqual([]);
    } finally {
      await other.remove();
    }
  });

  it('cannot be changed, nor done again from a step', async () => {
    const runId = await runs.createServer(serverLoadFixture());
    await expect(attempt(runId, { from: 'online' })).rejects.toMatchObject({ code: 'input-invalid' });
    await expect(runs.changeable(runId)).rejects.toMatchObject({ code: 'input-invalid' });
  });

  it('is not there where the server does not take the load', async () => {
    const environmentFor = () => Promise.reject(new WorkbenchError('model-not-ready', 'Not served'));
    ({ store, runs } = new NotingRuns(home.path, {}, { ...servers, environmentFor }));
    await expect(runs.createServer(serverLoadFixture())).rejects.toMatchObject({ code: 'model-not-ready' });
    expect((await store.list()).runs).toEqual([]);
  });
});
