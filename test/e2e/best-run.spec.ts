import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { JournalBody } from '../../main/contract/run/run-events';
import {
  createdBodies,
  journalFixture,
  measurementBody,
  pointFixture,
  specFixture,
} from '../support/run-state';
import { Shell } from './pages/shell.page';
import { createHome, launch, saveTo, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { countClicks } from './support/clicks';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;

/** Throughput and p99 of the only level of each run, the oldest first; the last is fast and not steady. */
const figures = [
  { instances: 1, inferencesPerSecond: 900, p99Us: 12_000 },
  { instances: 2, inferencesPerSecond: 1500, p99Us: 18_000 },
  { instances: 3, inferencesPerSecond: 2100, p99Us: 31_000 },
  { instances: 4, inferencesPerSecond: 1200, p99Us: 9000 },
  { instances: 5, inferencesPerSecond: 1900, p99Us: 16_000, stable: false, flags: ['unstable' as const] },
  // Older than the last five, and better than all of them.
  { instances: 6, inferencesPerSecond: 152_886, p99Us: 1000 },
];

test.beforeAll(async () => {
  home = await createHome();
  for (const [index, { instances, ...point }] of figures.entries()) {
    const spec = specFixture((value) => {
      value.configure.instances = instances;
    });
    const [created, ...rest] = createdBodies(spec);
    if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
    const runId = `2025112${index === 5 ? 0 : index + 1}-081700-resnet50-onnx-fp16-a1b2c${index}`;
    const bodies: JournalBody[] = [
      { ...created, runId },
      ...rest,
      measurementBody('online', pointFixture({ concurrency: 4, throughputIntervalIps: 20, ...point })),
      { type: 'run-finished', outcome: 'done' },
    ];
    const day = index === 5 ? '20' : `2${index + 1}`;
    const entries = journalFixture(bodies).map((entry) => ({
      ...entry,
      at: entry.at.replace('2025-11-21', `2025-11-${day}`),
    }));
    await placeRun(home, entries);
  }
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

test('which of my last five runs was best under 20 ms: two clicks from the list', async () => {
  const { page } = app;
  await new Shell(page).go('Runs');
  await expect(page.locator('[data-run]')).toHaveCount(6);
  await takePictures(page, 'best-run-list');
  const clicks = await countClicks(page, 'the best of five runs under 20 ms');

  await page.getByRole('button', { name: 'Compare the last 5' }).click();
  const best = page.getByRole('region', { name: 'Best run' });
  // Without a budget: the highest throughput of a steady level.
  await expect(best.getByRole('status')).toContainText('Best of 5 runs: instances 3, 2,100');
  await best.getByLabel('p99 budget').click();
  await page.keyboard.type('20');
  await expect(best.getByRole('status')).toHaveText(
    /^No clear best of 5 runs within a p99 of 20 ms: instances 2 has 1,500 inferences\/s at p99 18\.00 ms \(headroom 10 %; online, batch size 1, concurrency 4.*\), but instances 5 has a faster level that is not steady \(1,900 ± 20 inferences\/s\)\./,
  );
  await clicks.expectFew(3);
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'best-run');

  // The only one within it is not steady: it is said, and not named as the answer.
  await best.getByLabel('p99 budget').fill('8');
  await expect(best.getByRole('status')).toHaveText(
    'None of the 5 runs has a steady level with a p99 within 8 ms.',
  );
  await best.getByLabel('p99 budget').fill('20');
  await best.getByRole('button', { name: 'Open' }).click();
  await expect(page.getByRole('region', { name: 'Table of levels' })).toContainText('1,500');

  // All runs of the model by time, with the changes beyond the noise; chart and table go into other documents.
  const changes = page.getByRole('list', { name: 'Changes larger than the noise' });
  await expect(changes).toContainText('inferences/s before');
  await page.getByRole('button', { name: 'Save chart: Throughput by run, over time' }).click();
  await page.getByRole('menuitem', { name: 'Copy as picture' }).click();
  await expect.poll(() => app.electron.evaluate(({ clipboard }) => clipboard.has('image/png'))).toBe(true);
  const copy = page.getByRole('button', { name: 'Copy table: Runs of this model' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()))
    .toMatch(/^Run\tState\tGPU or CPU\tServer\tInferences\/s\tp99 \(ms\)\n/);
  expect(await findings(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test('a comparison leaves the window as PDF and Markdown, and is opened again by its name', async () => {
  const { page } = app;
  await new Shell(page).go('Runs');
  const clicks = await countClicks(page, 'runs compared, and the comparison exported');
  await page.getByRole('button', { name: 'Compare the last 5' }).click();
  const sentence = page.getByRole('region', { name: 'Best run' }).getByRole('status');
  await expect(sentence).toContainText('of 5 runs');
  const text = (await sentence.textContent()) ?? '';
  const pdf = join(home.path, 'comparison.pdf');
  await saveTo(app, pdf);
  await page.getByRole('button', { name: 'Export PDF' }).click();
  await expect(page.getByText(pdf)).toBeVisible();
  await clicks.expectFew(2);
  expect((await readFile(pdf)).subarray(0, 5).toString()).toBe('%PDF-');

  const markdown = join(home.path, 'comparison.md');
  await saveTo(app, markdown);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('export markdown');
  await page.keyboard.press('Enter');
  await expect(page.getByText(markdown)).toBeVisible();
  expect((await readFile(markdown, 'utf8')).replaceAll(/\\(.)/g, '$1')).toContain(text);

  await page.getByRole('button', { name: 'Saved', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save this comparison…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('instances');
  await page.getByRole('button', { name: 'Save comparison' }).click();
  await expect(page.getByText('instances · 5 runs')).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'compare-export');
  await new Shell(page).go('Runs');
  await page.keyboard.press('Control+K');
  await page.keyboard.type('compare: instances');
  await page.keyboard.press('Enter');
  await expect(page.getByText('instances · 5 runs')).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('a throughput of six digits fits its tile in a small window', async () => {
  const { page } = app;
  await page.setViewportSize({ width: 1280, height: 800 });
  await new Shell(page).go('Runs');
  await page.locator('[data-run]').last().click();
  const figures = page.locator('.figure-value');
  await expect(figures.first()).toHaveText('152,886 ± 20 inferences/s');
  const tooWide = await figures.evaluateAll((all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map(({ textContent }) => textContent),
  );
  expect(tooWide).toEqual([]);
});
