import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from '../e2e/pages/new-deployment.page';
import { RunPage } from '../e2e/pages/run.page';
import { Shell } from '../e2e/pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from '../e2e/support/app';
import { onlyRun } from '../e2e/support/run-on-disk';
import { printRow } from '../support/campaign';

const longStepMs = 300_000;

let home: TestHome;
let app: WorkbenchApp;

test.beforeAll(async () => {
  home = await createHome();
  app = await launch(home);
  await new NewDeploymentPage(app.page).begin();
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

test('kill -9 while levels are measured: the run is there again, and goes on without measuring twice', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.takeLittleModel();
  await form.open('Performance');
  await form.set('performance.maxTrials', '3');
  await form.set('performance.batchSizes', '1, 2, 4');
  await form.set('performance.concurrency', '1');
  await expect(form.plan).toContainText('3 levels: batch size 1, 2, 4');
  await form.start.click();
  const first = new RunPage(app.page);
  await expect(first.rows().first()).toBeVisible({ timeout: longStepMs });
  const ended = once(app.child, 'exit');
  app.child.kill('SIGKILL');
  await ended;
  const left = (await onlyRun(home)).state;
  const kept = left.scenarios.offline.points;
  expect(kept.length).toBeGreaterThan(0);

  app = await launch(home);
  await new Shell(app.page).go('Runs');
  await app.page.locator(`[data-run="${left.runId}"]`).click();
  const run = new RunPage(app.page);
  await expect(run.status).toHaveAttribute('data-status', 'interrupted');
  await expect(run.rows()).toHaveCount(kept.length);
  await run.button('Resume').click();
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.waitUntilDone();
  const { state } = await onlyRun(home);
  const measured = state.scenarios.offline.points;
  await printRow({
    what: 'kill -9 of the window while a run measures, then Resume',
    trials: 1,
    result: `${kept.length} levels kept, ${measured.length} of 3 in the journal`,
  });
  expect(measured.slice(0, kept.length)).toEqual(kept);
  expect(measured.map(({ point }) => point.batchSize)).toEqual([1, 2, 4]);
  expect(state.scenarios.online.points).toHaveLength(1);
});
