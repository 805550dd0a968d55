import { expect, test } from '@playwright/test';
import { startTestTriton, type TestTriton } from '../support/triton';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { takePictures } from './support/pictures';

let home: TestHome;
let app: WorkbenchApp;
let triton: TestTriton;

test.beforeAll(async () => {
  triton = await startTestTriton(
    [{ name: 'echo', execute: 'return values * 2', maxBatchSize: 4 }],
    ['--model-control-mode=explicit', '--load-model=echo'],
  );
  home = await createHome();
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
  await triton.stop();
});

test('a running Triton is measured from the list of runs, in two clicks', async () => {
  const { page } = app;
  await new Shell(page).command('Runs');
  await page.getByRole('button', { name: 'Measure a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  const address = dialog.getByLabel('Triton HTTP address');
  await expect(address).toBeFocused();
  const grpcPort = triton.grpcAddress.split(':').at(-1) ?? '';
  await address.fill(`http://${triton.httpAddress}?grpcPort=${grpcPort}`);
  await page.keyboard.press('Tab');
  await expect(dialog.getByText(/Triton 2\.\d+\.\d+ · 1 model ready/)).toBeVisible();
  // The only model is chosen.
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('echo');
  await dialog.getByLabel('Batch sizes').fill('8');
  await expect(dialog.getByText('The model takes batches of at most 4')).toBeVisible();
  await dialog.getByLabel('Batch sizes').fill('1, 4');
  await dialog.getByLabel('Concurrency').fill('1, 2');
  await dialog.getByLabel('Window').fill('200');
  await dialog.getByLabel('p99 budget').fill('1000');
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'measure');
  await dialog.getByRole('button', { name: 'Measure', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^echo · at / })).toBeVisible();
  await expect(page.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByLabel('Measured server')).toContainText('accuracy was not checked');
  await expect(page.getByText(/a p99 (of|within) 1,000 ms/).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Export PDF' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Keep serving|Change and continue)/ })).toHaveCount(0);
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'measured-server');
});

test('the run stands in the list, and can be measured again', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Measure again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('echo');
  await page.keyboard.press('Escape');
  await new Shell(page).command('Runs');
  await expect(page.getByRole('row').filter({ hasText: 'as served' })).toHaveCount(1);
});

test('an address where nothing answers says so', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Measure a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  await dialog.getByLabel('Triton HTTP address').fill('localhost:9');
  await dialog.getByRole('button', { name: 'Re-check' }).click();
  await expect(dialog.getByText(/No Triton at|ECONNREFUSED|refused/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Measure', exact: true })).toBeDisabled();
});
