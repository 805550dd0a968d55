import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';

let home: TestHome;
let app: WorkbenchApp | null = null;
test.beforeEach(async () => {
  home = await createHome();
});
test.afterEach(async () => {
  if (app !== null) await shutDown(app);
  app = null;
  await home.remove();
});

test('without Triton the demo, the wizard and the Environment page say so before anything starts', async () => {
  await rm(join(home.path, 'triton'));
  app = await launch(home);
  const { page } = app;

  await expect(page.getByRole('alert')).toContainText('Not installed: Triton.');
  await expect(page.getByRole('button', { name: 'Start the ResNet-50 demo' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Install missing tools' })).toBeVisible();

  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('button', { name: 'Environment' }).click();
  await expect(page.getByRole('status').filter({ hasText: /^\d+ problems?/ })).toBeVisible();
  const check = page.locator('[data-check="tools"]');
  await expect(check).toHaveAttribute('data-status', 'problem');
  await expect(check.getByRole('button', { name: 'Install missing tools' })).toBeVisible();

  await pages.getByRole('button', { name: 'New deployment' }).click();
  await new NewDeploymentPage(page).preset('ResNet-50 v1.5').click();
  const engine = page.locator('[data-field="engine.kind"]');
  await expect(engine).toContainText('Not installed on this machine: Triton');
  await expect(engine.getByRole('button', { name: 'Install missing tools' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Start deployment' })).toBeDisabled();
  await expect(page.getByText('1 problem to fix')).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('the Tools section installs what is missing, and removes it after a question', async () => {
  await rm(join(home.path, 'triton'));
  app = await launch(home);
  const { page } = app;
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Environment' }).click();
  const tools = page.getByRole('region', { name: 'Tools' }).first();
  const row = page.locator('[data-tool="triton"]');
  await expect(row).toHaveAttribute('data-state', 'missing');
  await expect(row).toContainText('no download');
  await expect(page.locator('[data-tool="tensorflow"]')).toContainText('download');
  expect(await findings(page)).toEqual([]);

  await row.getByRole('button', { name: 'Install Triton Inference Server' }).press('Enter');
  await expect(row).toHaveAttribute('data-state', 'ready');
  await expect(row).toContainText('nvidia-pytriton');
  await expect(page.locator('[data-check="tools"]')).toHaveAttribute('data-status', 'ok');
  await expect(tools.getByRole('button', { name: 'Cancel installation' })).toHaveCount(0);

  await row.getByRole('button', { name: 'Remove Triton Inference Server' }).press('Enter');
  const question = row.getByRole('group', { name: 'Remove Triton Inference Server?' });
  await expect(
    page.locator('[data-tool="images"]').getByRole('button', { name: 'Show images' }),
  ).toBeVisible();
  await question.getByRole('button', { name: 'Keep' }).press('Enter');
  await expect(row).toHaveAttribute('data-state', 'ready');
  await row.getByRole('button', { name: 'Remove Triton Inference Server' }).press('Enter');
  await question.getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(row).toHaveAttribute('data-state', 'missing');
  await expect(page.locator('[data-check="tools"]')).toHaveAttribute('data-status', 'problem');
  expect(app.complaints).toEqual([]);
});

test('a taken port is red at its field, and one click frees the run from it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    app = await launch(home);
    const { page } = app;
    await new NewDeploymentPage(page).begin();
    const field = page.locator('[data-field="engine.httpPort"]');
    await field.getByRole('textbox').fill(String(port));
    await expect(field).toContainText(`Port ${port} is in use: process ${process.pid}`);
    await expect(page.getByRole('button', { name: 'Start deployment' })).toBeDisabled();
    await field.getByRole('button', { name: 'Use a free port' }).click();
    await expect(field.getByRole('textbox')).toHaveValue('');
    await expect(field).not.toContainText('is in use');
    await expect(page.getByRole('button', { name: 'Start deployment' })).toBeEnabled();
  } finally {
    server.close();
  }
});

test('an address without a scheme is taken, and a server that does not answer is named at the field', async () => {
  app = await launch(home);
  const { page } = app;
  await new Shell(page).go('New deployment');
  await page.getByRole('button', { name: 'Deploy to a server' }).click();
  await expect(page.getByRole('radio', { name: 'Remote Triton' })).toBeChecked();
  const field = page.locator('[data-field="engine.url"]');
  await expect(field.getByRole('note')).toHaveText('Required');
  await expect(field.getByRole('textbox')).not.toHaveAttribute('aria-invalid', 'true');
  await field.getByRole('textbox').fill('localhost:1');
  await expect(field).toContainText('Triton at localhost:1:');
  await expect(field.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('button', { name: 'Start deployment' })).toBeDisabled();
});
