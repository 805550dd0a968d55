import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import type { Soaked, SoakStrategy } from '../../main/contract/study/soak';
import { StudyStore } from '../../main/studies/study-store';
import { completeBodies, journalFixture } from '../support/run-state';
import { soaked, soakStrategy } from '../support/soaked';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;
let runId: string;

const minuteMs = 60_000;

/** Eight hours: each process takes memory at first, and one of them goes on taking it. */
function night(): Soaked {
  const one = soaked({ server: 0, stub: 1_200_000 }, { minutes: 96 });
  const warmUp = (at: number) => 24e6 * (1 - Math.exp(-at / 4));
  return {
    blocks: one.blocks.map((block, at) => ({
      ...block,
      ...{ fromMs: 5 * block.fromMs, toMs: 5 * block.toMs, requests: 15_000 * (at + 1) },
      readings: block.readings.map((reading) => ({ ...reading, rss: (reading.rss ?? 0) + warmUp(at) })),
    })),
    slices: Array.from({ length: 32 }, (_unused, part) => ({
      ...{ fromMs: 15 * part * minuteMs, toMs: 15 * (part + 1) * minuteMs, life: 1, requests: 45_000 },
      ...{ errors: part === 30 ? 12 : 0, inferencesPerSecond: 50 + Math.sin(part), p50Us: 8200 },
      p99Us: 14_000 + 900 * Math.sin(3 * part) + 60 * part,
    })),
  };
}

async function placeSoak(name: string, soak: SoakStrategy, given: Soaked, isDone: boolean): Promise<void> {
  const studies = new StudyStore(join(home.path, 'studies'));
  const spec = { name, strategy: { ...soak, trials: [] }, hosts: null };
  await studies.append(name, { type: 'study-planned', spec });
  await studies.append(name, { type: 'study-started', pid: 1 });
  const place = { engine: 'local' as const, address: '127.0.0.1:8000', tritonVersion: '2.51.0' };
  await studies.append(name, { type: 'candidates-served', ...place });
  for (const block of given.blocks) await studies.append(name, { type: 'soak-block', block });
  for (const slice of given.slices) await studies.append(name, { type: 'soak-slice', slice });
  if (isDone) await studies.append(name, { type: 'study-ended', outcome: 'done' });
}

test.beforeAll(async () => {
  home = await createHome();
  const entries = journalFixture([
    ...completeBodies().filter(({ type }) => type !== 'run-finished'),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const placed = await placeRun(home, entries);
  runId = placed.runId;
  await mkdir(join(placed.dir, 'steps', 'convert'), { recursive: true });
  const tensor = (name: string, ...dims: number[]) => ({ name, datatype: 'FP32', shape: [-1, ...dims] });
  const artefact = {
    ...{ path: 'model.onnx', bytes: 1 },
    ...{ inputs: [tensor('input', 3, 224, 224)], outputs: [tensor('output', 10)] },
  };
  await writeFile(join(placed.dir, 'steps', 'convert', 'output.json'), JSON.stringify(artefact));
  const subject = { kind: 'run' as const, runId };
  const level = { batchSize: 1, requestRate: 50 };
  const long = { subject, level, forMs: 480 * minuteMs, blockMs: 5 * minuteMs, sliceMs: 15 * minuteMs };
  await placeSoak('begun', soakStrategy({ subject }), { ...soaked({}, { minutes: 1 }), slices: [] }, false);
  await placeSoak('calm', soakStrategy({ subject }), soaked({}), true);
  await placeSoak('night', soakStrategy({ ...long, criteria: ['rss-slope>1MB/h'] }), night(), true);
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

const study = (name: string): Locator => app.page.getByRole('region', { name, exact: true });

test('the page of a soak says whose memory grows, then draws it, and scrolls in one direction', async () => {
  const { page } = app;
  await new Shell(page).go('Studies');
  const soak = study('night');
  await expect(soak.getByRole('status')).toContainText('The Python stub of ocr grows by');
  await expect(soak.getByRole('status')).toContainText('rss-slope>1MB/h: exceeded');
  await expect(soak.locator('.answer')).toHaveAttribute('data-tone', 'bad');
  for (const name of [
    'Change of resident memory since the warm-up part',
    'p99 latency by slice',
    'Throughput by slice',
  ]) {
    const chart = soak.getByRole('region', { name });
    // A chart is drawn once it is in sight.
    await chart.scrollIntoViewIfNeeded();
    await expect(chart.locator('.plot svg').first()).toBeVisible();
  }
  await expect(soak.getByText('Hours under load').first()).toBeVisible();
  await expect(soak.getByRole('region', { name: 'Load of night by slice' }).locator('tbody tr')).toHaveCount(
    32,
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const name of ['Studies', 'Processes of night', 'Load of night by slice']) {
    for (const region of await page.getByRole('region', { name, exact: true }).all()) {
      expect(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), name).toBe(
        0,
      );
    }
  }
  await soak.getByRole('status').scrollIntoViewIfNeeded();
  await takePictures(page, 'soak');
  expect(await findings(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test('one that is flat says since when, and one that was interrupted how it continues', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'calm', exact: true }).press('Enter');
  await expect(study('calm').locator('.answer')).toHaveAttribute('data-tone', 'good');
  await expect(study('calm').getByRole('status')).toContainText('Flat since minute');
  await expect(study('calm').getByText('Minutes under load').first()).toBeVisible();
  await page.getByRole('button', { name: 'begun', exact: true }).press('Enter');
  await expect(study('begun').getByRole('status')).toContainText('Resume continues it');
  await expect(study('begun').getByRole('button', { name: 'Resume begun' })).toBeVisible();
  expect(await findings(page)).toEqual([]);
});

test('a soak is planned by keyboard: of a run, or of a running Triton whose address is checked', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Start a soak…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Does its memory grow?' });
  await expect(dialog.getByText('Choose a finished run.')).toBeVisible();
  await expect(dialog.getByLabel('Time under load')).toHaveValue('8');
  const run = dialog.getByRole('combobox', { name: 'Run' });
  await run.focus();
  await run.press('ArrowDown');
  await run.press('Enter');
  await expect(dialog.getByText('Choose a finished run.')).toBeHidden();
  // Of a run without its files nothing is planned.
  await expect(dialog.locator('[role="alert"][data-code]')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Start soak' })).toBeHidden();
  await dialog.getByText('Batch size, unloading, and a limit').press('Enter');
  await dialog.getByLabel('Maximum RSS growth (MB per hour)').fill('1');
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'soak-start');
  await page.setViewportSize({ width: 1280, height: 800 });

  await dialog.getByRole('radio', { name: 'Running Triton' }).press('Space');
  const address = dialog.getByRole('textbox', { name: 'Triton HTTP address' });
  await expect(address).toHaveAccessibleDescription('Not checked yet: press Enter or Check.');
  await address.fill('localhost:1');
  await address.press('Enter');
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog.getByRole('button', { name: 'Start soak' })).toBeHidden();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(dialog).toBeHidden();
  expect(app.complaints).toEqual([]);
});

test('the run of a soak offers the next one', async () => {
  const { page } = app;
  await new Shell(page).go('Runs');
  await page.locator(`[data-run="${runId}"]`).click();
  await page.getByRole('button', { name: 'More actions' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Soak for hours…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Does its memory grow?' });
  await expect(dialog.getByRole('combobox', { name: 'Run' })).not.toHaveValue('');
  expect(await findings(page)).toEqual([]);
});
