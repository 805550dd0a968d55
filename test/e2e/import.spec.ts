import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { repository } from '../support/home';
import { Shell } from './pages/shell.page';
import { choosePath, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';

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

const fixture = (name: string) => join(repository, 'test', 'fixtures', 'perf-analyzer', name);

test('files of perf_analyzer become runs: a broken one is refused with its place, two are compared', async () => {
  const { page } = app;
  const shell = new Shell(page);
  const dialog = page.getByRole('dialog', { name: 'Import results' });
  const broken = join(home.path, 'broken.csv');
  const text = await readFile(fixture('concurrency-plain.csv'), 'utf8');
  await writeFile(broken, text.replace('631', 'soon'));

  await shell.go('Runs');
  await choosePath(app, broken);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('broken.csv, line 2, column "p50 latency"');
  expect(await findings(app.page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  for (const name of ['profile-concurrency.csv', 'profile-concurrency.json']) {
    await shell.go('Runs');
    await choosePath(app, fixture(name));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByLabel('Model').fill('cached');
    await dialog.getByLabel('Batch size of each request').fill('2');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    const note = page.getByRole('status', { name: 'Imported' });
    await expect(note).toContainText(`Imported from ${name}`);
    await expect(note).toContainText('not measured here');
    await page.getByRole('button', { name: 'Show components' }).click();
    // A profile export has no columns of the server: they are missing, not nothing.
    const row = page.getByRole('region', { name: 'Table of levels' }).locator('tr[data-level="1"]');
    await expect(row).toContainText(name.endsWith('.json') ? '–' : '0.051');
  }
  expect(await findings(app.page)).toEqual([]);

  // The one that is open is named from the palette, and found by its name.
  await shell.command('Rename this run');
  const rename = page.getByRole('dialog', { name: 'Rename run' });
  await rename.getByLabel('Name').fill('latest');
  await expect(rename.getByRole('button', { name: 'Rename' })).toBeDisabled();
  await rename.getByLabel('Name').fill('profile of the night');
  expect(await findings(app.page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(rename).toBeHidden();
  await expect(page.getByRole('heading', { name: 'profile of the night · cached · imported' })).toBeVisible();

  await shell.go('Runs');
  const rows = page.locator('tr[data-run]');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('profile of the night');
  for (const index of [0, 1]) await rows.nth(index).getByRole('checkbox').check();
  await page
    .getByRole('group', { name: 'Selected runs' })
    .getByRole('button', { name: /^Compare/ })
    .click();
  const levels = page.getByRole('region', { name: 'Table of compared levels' });
  await expect(levels.locator('tr[data-level="2"]')).toContainText('×1.00');
  await expect(page.getByText('imported from profile-concurrency.csv').first()).toBeVisible();
  await expect(page.getByText('profile of the night').first()).toBeVisible();
});
