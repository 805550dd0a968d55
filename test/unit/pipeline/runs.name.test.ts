import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotingRuns } from '../../support/noting-runs';
import { specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-name-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

it('a run has its name from the start, keeps it while it runs, and can be renamed', async () => {
  const { runs, store } = new NotingRuns(home, {});
  const runId = await runs.create(specFixture(), undefined, { name: 'nightly' });
  const nameInList = async () => (await store.list()).runs.map(({ name }) => name);
  expect(await nameInList()).toEqual(['nightly']);
  await (
    await runs.execute(runId)
  ).end;
  expect((await store.load(runId)).state).toMatchObject({ status: 'done', name: 'nightly' });
  await runs.rename(runId, 'weekly');
  expect(await nameInList()).toEqual(['weekly']);
  await runs.rename(runId, null);
  expect(await nameInList()).toEqual([null]);
});
