import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type {
  Candidate,
  Look,
  MemoryLimits,
  Searched,
  SearchStrategy,
} from '../../../../main/contract/study/search';
import type { StudyBody } from '../../../../main/contract/study/study';
import { type DueLook, nextLooks } from '../../../../main/domain/study/search/next-looks';
import { isAdmitted } from '../../../../main/domain/study/search/objective';
import { driveSearch } from '../../../../main/studies/search/drive-search';
import { createStudyStops } from '../../../../main/studies/study-hands';
import { rejection } from '../../../support/rejection';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: [one, { ...one, instances: 2 }, { ...one, instances: 3 }] },
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1000, fullMs: 3000 },
};

/** A search whose candidates give their number of instances. @param fault of a candidate, thrown when it is served */
function session(
  earlier: Searched = { looks: [], failed: {} },
  fault: Readonly<Record<number, Error>> = {},
  {
    limits,
    hostBytes = {},
    isElsewhere = false,
  }: {
    readonly limits?: MemoryLimits;
    readonly hostBytes?: Readonly<Record<number, number | null>>;
    readonly isElsewhere?: boolean;
  } = {},
) {
  const stops = createStudyStops();
  const journal: StudyBody[] = [];
  const restarts: number[] = [];
  const measured: number[] = [];
  const repeats: string[] = [];
  const weighed: number[] = [];
  const hooks: { onLook: (count: number) => void } = { onLook: () => undefined };
  const asked = limits === undefined ? search : { ...search, memory: limits };
  const working = () =>
    driveSearch({
      isElsewhere,
      ...{ searched: earlier, stops, memory: limits, isFailed: ({ looks }: Searched) => looks.length === 0 },
      next: (searched) => nextLooks(asked, searched),
      isAdmitted: (searched, candidate) => isAdmitted(asked, searched, candidate),
      variants: {
        serve: (candidate, wantsMemory) => {
          if (fault[candidate] !== undefined) return Promise.reject(fault[candidate]);
          if (wantsMemory === true) weighed.push(candidate);
          const read = { candidate, hostBytes: hostBytes[candidate] ?? null, gpuBytes: null };
          const taken = wantsMemory === true ? [read] : [];
          return Promise.resolve({ server: {} as never, modelName: `m${candidate}`, taken });
        },
        restart: () => {
          restarts.push(1);
          return Promise.resolve();
        },
      },
      measure: (due): Promise<Look> => {
        measured.push(due.candidate);
        repeats.push(JSON.stringify([due.candidate, due.load, due.repeat]));
        hooks.onLook(measured.length);
        return Promise.resolve({
          ...{ candidate: due.candidate, phase: due.phase, load: due.load, seconds: due.ms / 1000 },
          inferencesPerSecond: 100 * (search.candidates[due.candidate - 1]?.instances ?? 0),
          ...{
            latencyUs: 1000,
            requestCount: 100,
            errorCount: 0,
            meanServerBatch: null,
            serverQueueUs: null,
          },
        });
      },
      record: (body) => {
        journal.push(body);
        return Promise.resolve();
      },
    });
  return { working, stops, journal, restarts, measured, repeats, weighed, hooks };
}

describe('driving a search', () => {
  it('journals each look, and ends as done', async () => {
    const { working, journal } = session();
    const { looks } = await working();
    expect(journal.slice(0, -1)).toEqual(looks.map((look) => ({ type: 'look', look })));
    expect(journal.at(-1)).toEqual({ type: 'study-ended', outcome: 'done' });
  });

  it('goes on from the looks that are there: none is made again', async () => {
    const { looks } = await session().working();
    const cut = session({ looks: looks.slice(0, 5), failed: {} });
    const whole = await cut.working();
    expect(cut.measured).toHaveLength(looks.length - 5);
    expect(whole.looks).toEqual(looks);
  });

  it('numbers the looks of a candidate at a load, also across a cut', async () => {
    const whole = session();
    const { looks } = await whole.working();
    expect(new Set(whole.repeats).size).toBe(looks.length);
    expect(whole.repeats.some((one) => one.endsWith(',1]'))).toBe(true);
    const cut = session({ looks: looks.slice(0, 5), failed: {} });
    await cut.working();
    expect(cut.repeats).toEqual(whole.repeats.slice(5));
  });

  it('marks a candidate that cannot be served, and goes on with the others', async () => {
    const error = new WorkbenchError('model-load-failed', 'no memory');
    const { working, journal, restarts } = session(undefined, { 3: error });
    const { failed, looks } = await working();
    expect(failed[3]).toMatchObject({ code: 'model-load-failed', message: 'no memory' });
    expect(journal.filter(({ type }) => type === 'candidate-failed')).toHaveLength(1);
    expect(looks.some(({ candidate }) => candidate === 3)).toBe(false);
    expect(restarts).toHaveLength(0);
  });

  it('has failed where none of its candidates could be measured', async () => {
    const error = new WorkbenchError('model-load-failed', 'no memory');
    const { working, journal } = session(undefined, { 1: error, 2: error, 3: error });
    expect((await working()).looks).toEqual([]);
    expect(journal.at(-1)).toEqual({ type: 'study-ended', outcome: 'failed' });
  });

  it('starts the server anew behind a candidate that ended it', async () => {
    const { working, restarts } = session(undefined, { 2: new WorkbenchError('server-gone', 'died') });
    const { failed } = await working();
    expect(Object.keys(failed)).toEqual(['2']);
    expect(restarts).toHaveLength(1);
  });

  it('ends with what no candidate is to blame for', async () => {
    const { working } = session(undefined, { 1: new WorkbenchError('disk-full', 'no room') });
    expect(await rejection(working())).toMatchObject({ code: 'disk-full' });
  });

  it('ends where a server of others goes away, and does not load again what it went with', async () => {
    const gone = new WorkbenchError('server-unreachable', 'no answer');
    const { working, journal, restarts, measured } = session(undefined, { 2: gone }, { isElsewhere: true });
    expect(await rejection(working())).toBe(gone);
    expect(measured).toEqual([1]);
    expect(journal.at(-1)).toMatchObject({ type: 'candidate-failed', candidate: 2 });
    expect(restarts).toHaveLength(0);
  });

  it('pauses behind the look in progress, and says so', async () => {
    const { working, stops, journal, hooks, measured } = session();
    hooks.onLook = (count) => {
      if (count === 2) stops.pause.abort();
    };
    await working();
    expect(measured).toHaveLength(2);
    expect(journal.at(-1)).toEqual({ type: 'study-ended', outcome: 'paused' });
  });

  it('does not blame a candidate for a cancel', async () => {
    const { working, stops, journal } = session(undefined, { 2: new WorkbenchError('cancelled', 'cut') });
    stops.cancel.abort();
    await working();
    expect(journal).toEqual([{ type: 'study-ended', outcome: 'cancelled' }]);
  });

  it('journals what each candidate takes once, and measures none that takes too much', async () => {
    const limits = { hostBytes: 100 };
    const hostBytes = { 1: 50, 2: 90, 3: 120 };
    const { working, journal, measured } = session(undefined, {}, { limits, hostBytes });
    const { memory } = await working();
    expect(memory).toMatchObject({ 1: { hostBytes: 50 }, 2: { hostBytes: 90 }, 3: { hostBytes: 120 } });
    expect(journal.filter(({ type }) => type === 'candidate-memory')).toHaveLength(3);
    expect(measured).not.toContain(3);
    expect(measured).toContain(2);
  });

  it('does not weigh again what an earlier process weighed', async () => {
    const earlier = { looks: [], failed: {}, memory: { 1: { hostBytes: 50, gpuBytes: null } } };
    const { working, weighed } = session(
      earlier,
      {},
      { limits: { hostBytes: 100 }, hostBytes: { 2: 1, 3: 1 } },
    );
    await working();
    expect(weighed).toEqual([2, 3]);
  });

  it('ends where a limit was given and no memory can be read', async () => {
    const { working } = session(undefined, {}, { limits: { hostBytes: 100 } });
    expect(await rejection(working())).toMatchObject({ code: 'toolchain-missing', where: '--host-memory' });
  });
});

describe('several models at a time', () => {
  const due: DueLook = {
    ...{ candidate: 2, phase: 'edge', load: { requestRate: 10 }, ms: 1000 },
    beside: [{ candidate: 1, load: { requestRate: 5 } }],
  };

  /** @param gone how often each was served until the other takes its memory for good */
  function together({
    fault,
    isServed = () => true,
  }: {
    readonly fault?: number;
    readonly isServed?: (number: number) => boolean;
  }) {
    const journal: StudyBody[] = [];
    const served: number[] = [];
    const work = driveSearch({
      ...{ searched: { looks: [], failed: {} }, stops: createStudyStops() },
      next: ({ looks, failed }) => (looks.length + Object.keys(failed).length === 0 ? [due] : []),
      isAdmitted: ({ failed }, candidate) => failed[candidate] === undefined,
      isFailed: ({ looks }) => looks.length === 0,
      variants: {
        serve: (candidate) => {
          served.push(candidate);
          if (candidate === fault) return Promise.reject(new WorkbenchError('model-load-failed', 'no'));
          return Promise.resolve({ server: {} as never, modelName: `m${candidate}`, taken: [] });
        },
        isServed,
        restart: () => Promise.resolve(),
      },
      measure: ({ candidate, phase, load }, _first, beside): Promise<Look> =>
        Promise.resolve({
          ...{
            candidate,
            phase,
            load,
            seconds: 1,
            inferencesPerSecond: 10,
            latencyUs: 1000,
            requestCount: 10,
          },
          ...{ errorCount: 0, meanServerBatch: null, serverQueueUs: null },
          beside: beside.map(({ modelName }) => ({
            ...{ candidate: Number(modelName.slice(1)), phase, load, seconds: 1, inferencesPerSecond: 5 },
            ...{
              latencyUs: 1000,
              requestCount: 5,
              errorCount: 0,
              meanServerBatch: null,
              serverQueueUs: null,
            },
          })),
        }),
      record: (body) => {
        journal.push(body);
        return Promise.resolve();
      },
    });
    return { work, journal, served };
  }

  it('all are served before they are measured, in one record of the journal', async () => {
    const { work, journal, served } = together({});
    const { looks } = await work;
    expect(served).toEqual([2, 1]);
    expect(looks[0]?.beside?.map(({ candidate }) => candidate)).toEqual([1]);
    expect(journal.map(({ type }) => type)).toEqual(['look', 'study-ended']);
  });

  it('the one that does not load is to blame', async () => {
    const { work } = together({ fault: 1 });
    expect(Object.keys((await work).failed)).toEqual(['1']);
  });

  it('what made room for another is loaded again, once; then they do not fit together', async () => {
    let asked = 0;
    const again = together({ isServed: (number) => number !== 2 || (asked += 1) > 1 });
    await again.work;
    expect(again.served).toEqual([2, 1, 2]);
    const never = together({ isServed: (number) => number !== 2 });
    expect((await never.work).failed[2]).toMatchObject({
      message: 'The models do not fit into memory together',
    });
  });
});
