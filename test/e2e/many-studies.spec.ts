import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { StudyStore } from '../../main/studies/study-store';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';

let home: TestHome;
let app: WorkbenchApp;

const count = 60;
const nameOf = (number: number): string => `night-${String(number).padStart(2, '0')}`;

test.beforeAll(async () => {
  home = await createHome();
  const studies = new StudyStore(join(home.path, 'studies'));
  for (let number = 1; number <= count; number += 1) {
    const name = nameOf(number);
    const trial = { choice: { preset: 'resnet50', overrides: {} }, axes: [], refusal: null };
    const spec = { name, strategy: { kind: 'matrix' as const, trials: [trial, trial] }, hosts: null };
    await studies.append(name, { type: 'study-planned', spec });
  }
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

test('of many studies the chosen one stays in sight, in the list and below it', async () => {
  const { page } = app;
  await new Shell(page).go('Studies');
  const list = page.getByRole('region', { name: 'Studies', exact: true });
  await expect(list.locator('tr[data-study]')).toHaveCount(count);
  const head = list.locator('thead th').first();
  for (const size of [
    { width: 1280, height: 800 },
    { width: 1920, height: 1080 },
  ]) {
    await page.setViewportSize(size);
    for (const name of [nameOf(1), nameOf(30), nameOf(count), nameOf(31)]) {
      const row = list.locator(`tr[data-study="${name}"]`);
      // Playwright's click would scroll the row into sight by itself.
      await row.dispatchEvent('click');
      const panel = page.getByRole('region', { name, exact: true });
      await expect(panel.getByRole('heading', { name })).toBeInViewport({ ratio: 1 });
      await expect(panel.getByRole('status')).toContainText('0 of 2 runs complete');
      await expect(panel.getByRole('status')).toBeInViewport({ ratio: 1 });
      // A part of a pixel may be cut.
      await expect(row).toBeInViewport({ ratio: 0.95 });
      const [top, below] = await Promise.all([row.boundingBox(), head.boundingBox()]);
      expect(top?.y ?? 0).toBeGreaterThanOrEqual((below?.y ?? 0) + (below?.height ?? 0) - 1);
    }
  }
  // A lower window has a lower list.
  await page.setViewportSize({ width: 1024, height: 700 });
  await expect(list.locator('tr.selected')).toBeInViewport({ ratio: 0.95 });
  expect(await findings(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});
