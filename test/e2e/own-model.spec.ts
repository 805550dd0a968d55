import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { specOf } from '../../main/contract/run/run-source';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import {
  answerConsent,
  choosePath,
  createHome,
  launch,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from './support/app';
import { findings } from './support/axe';
import { onlyRun } from './support/run-on-disk';

let home: TestHome;
let app: WorkbenchApp;

test.beforeAll(async () => {
  home = await createHome();
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

test('the folder of the examples: broken it is refused with the reason, whole it runs once it is trusted', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  const folder = join(home.path, 'my-model');
  const broken = join(home.path, 'broken-model');
  for (const path of [folder, broken]) await cp('docs/examples/cnn', path, { recursive: true });
  await rm(join(broken, 'dataloader.py'));

  await form.begin();
  await expect(form.start).toBeEnabled();
  await form.open('Model');
  await choosePath(app, broken);
  await form.own.getByRole('button', { name: 'Choose a folder…' }).click();
  const refusal = form.own.getByRole('alert');
  await expect(refusal).toContainText('dataloader.py');
  expect(await findings(page)).toEqual([]);

  await choosePath(app, folder);
  await form.own.getByRole('button', { name: 'Choose a folder…' }).click();
  await expect(refusal).toBeHidden();
  const question = form.own.getByRole('group', { name: 'Trust this code' });
  await expect(question).toContainText('model.py');
  // The page asks, and the main process asks again: only its dialog counts.
  const refused = await answerConsent(app, 'cancel');
  await question.getByRole('button', { name: 'Trust and use' }).click();
  await expect(refusal).toContainText('You did not agree');
  expect((await refused.said()).join()).toMatch(
    /Trust this model[^]*my-model[^]*model\.py[^]*SHA-256 [0-9a-f]{64}/,
  );
  await answerConsent(app, 'agree');
  await question.getByRole('button', { name: 'Trust and use' }).click();
  const chosen = form.own.getByRole('status').filter({ hasText: 'In use' });
  await expect(chosen).toContainText(folder);
  await expect(form.own.getByRole('table', { name: 'Inputs and outputs' })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await expect(form.start).toBeEnabled();

  await form.open('Performance');
  await form.set('performance.batchSizes', '1');
  await form.set('performance.concurrency', '2');
  await expect(form.start).toBeEnabled();
  await form.start.click();
  const run = new RunPage(page);
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.waitUntilDone();
  const { state } = await onlyRun(home);
  expect(specOf(state)?.model.source).toMatchObject({ kind: 'folder', path: folder });
  expect(state.accuracy?.result.passed).toBe(true);
  expect(app.complaints).toEqual([]);
});
