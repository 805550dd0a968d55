import { expect, test } from '@playwright/test';
import { startCluster, type TestCluster } from '../support/slurm';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import { answerConsent, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';

let home: TestHome;
let cluster: TestCluster;
let app: WorkbenchApp;

test.beforeEach(async () => {
  home = await createHome();
  cluster = await startCluster(['n1']);
  app = await launch(home, { ...process.env, ...cluster.env });
});
test.afterEach(async () => {
  await shutDown(app);
  await cluster.stop();
  await home.remove();
});

test('a deployment starts as a job, is seen in the queue and on its node, and ends by scancel', async () => {
  const { page } = app;
  await cluster.slurm('scontrol', 'update', 'nodename=n1', 'state=drain', 'reason=maintenance');
  const consent = await answerConsent(app, 'agree');
  const form = new NewDeploymentPage(page);
  await form.begin();
  await page.getByRole('radio', { name: 'Slurm cluster' }).check();
  await page.getByRole('button', { name: 'Start deployment' }).click();
  await expect(page.getByText('Waiting for Slurm job 1, queued on work')).toBeVisible();
  expect((await consent.said()).join()).toContain('Slurm');
  await cluster.slurm('scontrol', 'update', 'nodename=n1', 'state=resume');
  await expect(page.getByText('Running on n1 (Slurm job 1).')).toBeVisible();
  expect(await findings(page)).toEqual([]);

  await cluster.slurm('scancel', '1');
  await expect(page.getByText('Slurm job 1 was cancelled on n1.')).toBeVisible();
  await expect(new RunPage(page).status).toHaveText('Cancelled');
  expect(app.complaints).toEqual([]);
});
