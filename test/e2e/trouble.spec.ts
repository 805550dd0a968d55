import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import { Shell } from './pages/shell.page';
import { answerConsent, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';

const longStepMs = 300_000;

let home: TestHome;
let app: WorkbenchApp;

test.beforeEach(async () => {
  home = await createHome();
  app = await launch(home);
  await new NewDeploymentPage(app.page).begin();
});
test.afterEach(async () => {
  await shutDown(app);
  await home.remove();
});

test('a data set that is none, and then accuracy below the threshold, are said with their remedy', async () => {
  const form = new NewDeploymentPage(app.page);
  const run = new RunPage(app.page);
  const notes = join(home.path, 'my-notes');
  await mkdir(notes);
  await writeFile(join(notes, 'notes.txt'), 'no images here');
  await expect(form.start).toBeEnabled();
  await form.open('Model');
  await form.set('model.dataset', notes);
  await form.set('model.args.train_epochs', '0');
  await form.open('Accuracy');
  await form.set('accuracy.thresholds.top1', '0.95');
  // The path was typed: it is asked for at its first use.
  const consent = await answerConsent(app, 'agree');
  await form.start.click();

  await expect(run.status).toHaveAttribute('data-status', 'failed', { timeout: longStepMs });
  const said = app.page.getByRole('alert').first();
  await expect(said).toContainText(notes);
  expect((await consent.said()).join()).toContain(`${notes}  (model.dataset)`);
  await expect(run.rows()).toHaveCount(0);

  // The same choice with the generated images: random weights do not reach the threshold.
  await new Shell(app.page).command('Run again with changes');
  await form.open('Model');
  await expect(form.text('Data set')).toHaveValue(notes);
  await form.reset('Data set').click();
  await form.start.click();
  await expect(run.status).toHaveAttribute('data-status', 'gate-failed', { timeout: longStepMs });
  await expect(said).toContainText(/top1: \d.*on Triton is below the threshold 0\.95/);
  await expect(run.accuracy).toContainText('Top-1 accuracy');
  await expect(run.step('offline')).toHaveAttribute('data-status', 'waiting');
  await expect(run.rows()).toHaveCount(0);
  expect(app.complaints).toEqual([]);
});
