import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from '../e2e/pages/new-deployment.page';
import { RunPage } from '../e2e/pages/run.page';
import { Shell } from '../e2e/pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from '../e2e/support/app';
import { findings } from '../e2e/support/axe';
import { countClicks } from '../e2e/support/clicks';
import { takePictures } from '../e2e/support/pictures';
import { onlyRun } from '../e2e/support/run-on-disk';

let home: TestHome;
let app: WorkbenchApp;

test.beforeEach(async () => {
  home = await createHome();
  app = await launch(home);
});
test.afterEach(async () => {
  await shutDown(app);
  await home.remove();
});

test('a finished run is changed, continued by keyboard, and keeps what it measured', async () => {
  const form = new NewDeploymentPage(app.page);
  const run = new RunPage(app.page);
  await form.begin();
  await form.takeLittleModel();
  await form.open('Performance');
  await form.set('performance.batchSizes', '1, 2');
  await form.set('performance.concurrency', '1');
  await form.set('performance.measurementIntervalMs', '500');
  await expect(form.plan).toContainText('2 levels: batch size 1, 2');
  await form.start.click();
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.waitUntilDone();
  const before = (await onlyRun(home)).state;

  const clicks = await countClicks(app.page, 'a run changed and continued');
  await run.button('Change and continue…').click();
  await expect(form.heading('Performance')).toBeVisible();
  await expect(app.page.getByRole('heading', { name: 'Change run', level: 1 })).toBeVisible();
  await expect(form.text('Offline batch sizes')).toHaveValue('1, 2');
  await expect(form.state).toHaveText('No changes yet');
  await expect(form.change).toBeDisabled();

  await form.text('Offline batch sizes').fill('1, 2, 4');
  await expect(form.state).toHaveText('1 change: 5 steps to do, 3 of 3 measurements kept');
  // Control+Enter starts it from here.
  await clicks.expectFew(1);
  // Who leaves it finds the way back to it, and to a new deployment.
  await new Shell(app.page).go('Runs');
  await new Shell(app.page).go('New deployment');
  await expect(app.page.getByRole('region', { name: 'Unfinished draft' })).toContainText(before.runId);
  await form.continueDraft.click();

  await form.open('Review & run');
  const changes = app.page.getByRole('region', { name: 'Changes' });
  await expect(changes.getByRole('row').nth(1)).toHaveText(/Offline batch sizes\s*1, 2\s*1, 2, 4/);
  await expect(app.page.getByRole('region', { name: 'Plan' })).toContainText('Measure offline');
  const kept = app.page.getByRole('region', { name: 'Kept' });
  await expect(kept).toContainText('Export model, Convert model');
  await expect(kept).toContainText('batch size 2, concurrency 1');
  await expect(app.page.getByRole('region', { name: 'Command line' })).toContainText(
    `resume ${before.runId} --set 'performance.batchSizes=[1,2,4]'`,
  );
  expect(await findings(app.page)).toEqual([]);
  await takePictures(app.page, 'change-review');

  await app.page.keyboard.press('Control+Enter');
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.waitUntilDone();
  const { state } = await onlyRun(home);
  expect(state.runId).toBe(before.runId);
  expect(state.scenarios.offline.points.slice(0, 2)).toEqual(before.scenarios.offline.points);
  expect(state.scenarios.offline.points).toHaveLength(3);
  await expect(app.page.getByRole('region', { name: 'Specification changes' })).toContainText(
    'performance.batchSizes: 1, 2 → 1, 2, 4',
  );
  expect(await findings(app.page)).toEqual([]);

  await app.page.getByRole('button', { name: 'Actions of Measure online', exact: true }).click();
  await app.page.getByRole('menuitem', { name: 'Rerun from here' }).click();
  const question = app.page.getByRole('group', { name: 'Rerun from Measure online?' });
  await expect(question).toContainText('Steps to run again: Measure online, Write report.');
  await question.getByRole('button', { name: 'Keep' }).click();
  expect(app.complaints).toEqual([]);
});
