import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { Candidate, Look, Searched, SearchStrategy } from '../../../../main/contract/study/search';
import type { StudyBody } from '../../../../main/contract/study/study';
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
function session(earlier: Searched = { looks: [], failed: {} }, fault: Readonly<Record<number, Error>> = {}) {
  const stops = createStudyStops();
  const journal: StudyBody[] = [];
  const restarts: number[] = [];
  const measured: number[] = [];
  const hooks: { onLook: (count: number) => void } = { onLook: () => undefined };
  const working = () =>
    driveSearch({
      ...{ search, searched: earlier, stops },
      variants: {
        serve: (candidate) =>
          fault[candidate] !== undefined
            ? Promise.reject(fault[candidate])
            : Promise.resolve({ server: {} as never, modelName: `m${candidate}` }),
        restart: () => {
          restarts.push(1);
          return Promise.resolve();
        },
      },
      measure: (due): Promise<Look> => {
        measured.push(due.candidate);
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
  return { working, stops, journal, restarts, measured, hooks };
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
});
