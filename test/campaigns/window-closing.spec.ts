import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from '../e2e/pages/new-deployment.page';
import { RunPage } from '../e2e/pages/run.page';
import { Shell } from '../e2e/pages/shell.page';
import {
  askToClose,
  createHome,
  launch,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from '../e2e/support/app';
import { onlyRun } from '../e2e/support/run-on-disk';

const longStepMs = 300_000;

let home: TestHome;
let app: WorkbenchApp;

test.beforeAll(async () => {
  home = await createHome();
});
test.afterEach(async () => {
  await shutDown(app);
});
test.afterAll(async () => {
  await home.remove();
});

test('closing during a run asks, stops it cleanly, and resume finishes it without measuring twice', async () => {
  app = await launch(home);
  const shell = new Shell(app.page);
  const form = new NewDeploymentPage(app.page);
  await form.begin();
  await form.takeLittleModel();
  await form.open('Performance');
  await form.text('Offline batch sizes').fill('1, 2, 4, 8');
  // What is asked and answered below happens while the other three levels are measured: 6.5 s each.
  await form.set('performance.measurementIntervalMs', '2000');
  await form.set('performance.maxTrials', '3');
  await form.set('performance.concurrency', '1');
  await expect(form.plan).toContainText('4 levels: batch size 1, 2, 4, 8');
  await form.start.click();
  const first = new RunPage(app.page);
  await expect(first.rows().first()).toBeVisible({ timeout: longStepMs });

  await askToClose(app);
  await expect(shell.closeQuestion).toBeVisible();
  for (const name of ['Keep running', 'Stop and close']) {
    const cut = await shell.closeQuestion
      .getByRole('button', { name })
      .locator('.mantine-Button-label')
      .evaluate((label) => label.scrollWidth - label.clientWidth);
    expect(cut, `pixels cut off "${name}"`).toBe(0);
  }
  await expect(shell.closeQuestion.getByRole('button', { name: 'Keep running' })).toBeFocused();
  await shell.closeQuestion.getByRole('button', { name: 'Keep running' }).click();
  await expect(shell.closeQuestion).toBeHidden();
  await expect(first.status).toHaveAttribute('data-status', 'running');

  const closed = app.electron.waitForEvent('close', { timeout: longStepMs });
  await askToClose(app);
  await shell.closeQuestion.getByRole('button', { name: 'Stop and close' }).click();
  await closed;
  const stopped = (await onlyRun(home)).state;
  expect(stopped.status).toBe('cancelled');
  const kept = stopped.scenarios.offline.points;
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(4);

  app = await launch(home);
  await new Shell(app.page).go('Runs');
  await app.page.locator(`[data-run="${stopped.runId}"]`).click();
  const run = new RunPage(app.page);
  await expect(run.status).toHaveAttribute('data-status', 'cancelled');
  await expect(run.rows()).toHaveCount(kept.length);
  await run.button('Resume').click();
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.waitUntilDone();
  const { state } = await onlyRun(home);
  expect(state.scenarios.offline.points.slice(0, kept.length)).toEqual(kept);
  expect(state.scenarios.offline.points).toHaveLength(4);
});
