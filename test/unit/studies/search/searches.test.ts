import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { Candidate, SearchStrategy } from '../../../../main/contract/study/search';
import type { StudyEntry } from '../../../../main/contract/study/study';
import { searchSummary } from '../../../../main/domain/study/search/search-study';
import { type Contest, Searches } from '../../../../main/studies/search/searches';
import { ActiveStudies } from '../../../../main/studies/study-hands';
import { StudyStore } from '../../../../main/studies/study-store';
import { rejection } from '../../../support/rejection';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run', candidates: [one] },
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 300, lookMs: 1000, fullMs: 3000 },
};
const spec = { name: 'night', strategy: { ...search, trials: [] }, hosts: null };

/** Searches whose models are opened by `contestOf`; nothing else of them is reached here. */
async function searchesWith(contestOf: () => Promise<Contest>) {
  const home = await mkdtemp(join(tmpdir(), 'twb-searches-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const studies = new StudyStore(join(home, 'studies'));
  const active = new ActiveStudies();
  const entries: StudyEntry[] = [];
  const unreached = () => Promise.reject(new Error('not reached'));
  const searches = new Searches({
    ...{ studies, active, contestOf, openExecutor: unreached, takeTurn: unreached, resolve: unreached },
    ...{ runs: {} as never, store: { list: unreached, load: unreached }, verified: unreached },
    ...{ freeBytes: () => null, gpusOf: () => ({ read: unreached, watch: unreached }) },
    onEntry: (_name, entry) => entries.push(entry),
  });
  return { searches, studies, active, entries };
}

const refusal = new WorkbenchError('verification-failed', 'The model is not as it was checked');

it('a search that cannot be opened is failed, and its journal says why', async () => {
  const { searches, studies, active, entries } = await searchesWith(() => Promise.reject(refusal));
  const { end } = await searches.begin(spec, { resume: false });
  expect(active.underWay()).toEqual(['night']);
  expect(await rejection(end)).toBe(refusal);
  expect(active.underWay()).toEqual([]);
  expect(await studies.isHeld('night')).toBe(false);
  const { code, message } = refusal;
  const error = { code, message };
  expect(entries.at(-1)).toMatchObject({ type: 'study-ended', outcome: 'failed', error });
  const study = await studies.load('night');
  expect(study && searchSummary(study, search, false)).toMatchObject({ state: 'failed', error });
});

it('a name that is taken is refused before anything begins', async () => {
  const { searches, studies } = await searchesWith(() => Promise.reject(refusal));
  await rejection((await searches.begin(spec, { resume: false })).end);
  expect(await rejection(searches.begin(spec, { resume: false }))).toMatchObject({
    ...{ code: 'input-invalid', message: 'A study "night" already exists' },
  });
  expect(await studies.isHeld('night')).toBe(false);
});

it('one that is closed while it works is paused, and has no reason', async () => {
  const opening: { cutOff: (error: Error) => void } = { cutOff: () => undefined };
  const { searches, studies, active } = await searchesWith(
    () => new Promise<never>((_resolve, reject) => (opening.cutOff = reject)),
  );
  const { end } = await searches.begin(spec, { resume: false });
  const closed = active.close();
  opening.cutOff(refusal);
  await Promise.all([closed, rejection(end)]);
  expect(await studies.load('night')).toMatchObject({ outcome: 'paused', error: null });
});
