import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotingRuns } from '../../support/noting-runs';
import { specFixture } from '../../support/run-state';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-budget-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

it('a p99 budget is in the journal before the run starts, and can be changed afterwards', async () => {
  const { runs, store } = new NotingRuns(home, {});
  const runId = await runs.create(specFixture(), undefined, { p99BudgetMs: 20 });
  expect((await store.load(runId)).state.p99BudgetMs).toBe(20);
  await (
    await runs.execute(runId)
  ).end;
  expect((await store.load(runId)).state).toMatchObject({ status: 'done', p99BudgetMs: 20 });
  await runs.setBudget(runId, 30);
  expect((await store.load(runId)).state.p99BudgetMs).toBe(30);
  const without = await runs.create(specFixture());
  expect((await store.load(without)).state.p99BudgetMs).toBeNull();
});
