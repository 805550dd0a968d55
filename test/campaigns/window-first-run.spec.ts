import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from '../e2e/pages/new-deployment.page';
import { RunPage } from '../e2e/pages/run.page';
import { Shell } from '../e2e/pages/shell.page';
import { launch, shutDown, type WorkbenchApp } from '../e2e/support/app';
import { onlyRun } from '../e2e/support/run-on-disk';
import { readTestEngine } from '../support/docker';

let home: string;
let app: WorkbenchApp | null = null;
test.beforeEach(async () => {
  test.skip((await readTestEngine()) === null, 'no Docker Engine');
  home = await mkdtemp(join(tmpdir(), 'workbench-e2e-'));
  await mkdir(join(home, 'runs'));
  app = await launch({ path: home });
});
test.afterEach(async () => {
  if (app !== null) await shutDown(app);
  app = null;
  await rm(home, { recursive: true, force: true });
});

test('without any tool and with Docker, the demo goes to its report', async () => {
  if (app === null) throw new Error('no window');
  const { page } = app;
  const demo = page.getByRole('button', { name: 'Start the demo in Docker' });
  await expect(demo).toBeEnabled();
  await expect(page.getByRole('alert')).toContainText('Not installed: the Python environment and Triton.');

  const form = new NewDeploymentPage(page);
  await form.begin();
  await expect(form.start).toBeDisabled();
  await page.locator('[data-field="engine.kind"]').getByRole('button', { name: 'Use Docker' }).click();
  await expect(form.start).toBeEnabled();

  await new Shell(page).go('Runs');
  await demo.click();
  const run = new RunPage(page);
  await run.waitForStep('export', /^done$/);
  await run.waitForStep('accuracy', /^done$/);
  await run.waitForStep('online', /^done$/);
  await run.waitUntilDone();
  await expect(run.rows().first()).toBeVisible();
  const { dir, state } = await onlyRun({ path: home });
  expect(state.accuracy?.result.metrics.find(({ name }) => name === 'top1')).toMatchObject({
    framework: 1,
    triton: 1,
  });
  await access(join(dir, 'results', 'report.pdf'));
  expect(app.complaints).toEqual([]);
});
