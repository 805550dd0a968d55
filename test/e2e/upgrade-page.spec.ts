import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import type { Look } from '../../main/contract/study/search';
import type { Upgraded, UpgradeStrategy } from '../../main/contract/study/upgrade';
import { StudyStore } from '../../main/studies/study-store';
import { completeBodies, journalFixture } from '../support/run-state';
import { differing, turns, upgraded, upgradeStrategy } from '../support/upgraded';
import { Shell } from './pages/shell.page';
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
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;
let runId: string;

interface Placed {
  readonly upgrade: UpgradeStrategy;
  readonly known: Upgraded;
  readonly looks: readonly Look[];
}

async function placeUpgrade(name: string, { upgrade, known, looks }: Placed): Promise<void> {
  const studies = new StudyStore(join(home.path, 'studies'));
  const spec = { name, strategy: { ...upgrade, trials: [] }, hosts: null };
  await studies.append(name, { type: 'study-planned', spec });
  await studies.append(name, { type: 'study-started', pid: 1 });
  for (const served of Object.values(known.served)) {
    await studies.append(name, { type: 'upgrade-served', served });
  }
  if (known.outputs !== null) {
    await studies.append(name, { type: 'upgrade-outputs', outputs: known.outputs });
  }
  for (const load of known.loads) await studies.append(name, { type: 'upgrade-load', load });
  for (const look of looks) await studies.append(name, { type: 'look', look });
  await studies.append(name, { type: 'study-ended', outcome: 'done' });
}

test.beforeAll(async () => {
  home = await createHome();
  const entries = journalFixture([
    ...completeBodies().filter(({ type }) => type !== 'run-finished'),
    { type: 'run-finished', outcome: 'done' },
  ]);
  ({ runId } = await placeRun(home, entries));
  const findingsBefore = [
    { about: 'package' as const, text: 'Triton 2.51.0 becomes 2.71.0', blocks: false },
    { about: 'package' as const, text: 'CUDA 13.2 becomes 13.4', blocks: false },
  ];
  const deployment = { kind: 'deployment' as const, id: 'vision', model: 'ocr', version: 2, runId };
  await placeUpgrade('differs', {
    upgrade: upgradeStrategy({ subject: { kind: 'run', runId } }),
    known: { ...upgraded({}, differing()), loads: [] },
    looks: [],
  });
  await placeUpgrade('next', {
    upgrade: upgradeStrategy({ subject: deployment, title: 'vision', findings: findingsBefore }),
    known: upgraded({ loadMs: 3100 }),
    looks: turns(9, { throughput: 1.004, p99: 0.97 }),
  });
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

const study = (name: string): Locator => app.page.getByRole('region', { name, exact: true });

test('the page of an upgrade says whether it may move and by what, and scrolls in one direction', async () => {
  const { page } = app;
  await new Shell(page).go('Studies');
  const next = study('next');
  await expect(next.getByRole('status')).toContainText(
    /Ready to move: throughput \+0\.\d % ± 0\.\d, p99 −2\.\d %/,
  );
  await expect(next.getByRole('status')).toContainText('loads 3.1 times slower');
  await expect(next.locator('.answer')).toHaveAttribute('data-tone', 'good');
  await expect(next.getByRole('button', { name: 'Move vision…' })).toBeVisible();
  for (const table of ['Serving environments of next', 'Outputs of next', 'Conditions of next']) {
    await expect(next.getByRole('region', { name: table }).locator('tbody tr').first()).toBeVisible();
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const name of ['Studies', 'Outputs of next', 'Conditions of next']) {
    for (const region of await page.getByRole('region', { name, exact: true }).all()) {
      expect(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), name).toBe(
        0,
      );
    }
  }
  await takePictures(page, 'upgrade');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'differs', exact: true }).press('Enter');
  await expect(study('differs').getByRole('status')).toContainText(
    'output logits differs by 0.012 at batch 8',
  );
  await expect(study('differs').locator('.answer')).toHaveAttribute('data-tone', 'bad');
  await expect(study('differs').getByRole('button', { name: /^Move/ })).toBeHidden();
  expect(await findings(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test('an upgrade is planned by keyboard, and a folder is asked for in a native dialog', async () => {
  const { page } = app;
  await new Shell(page).go('Studies');
  await page.getByRole('button', { name: 'Try another release…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Try another release' });
  await expect(dialog.getByText('Choose a finished run.')).toBeVisible();
  const run = dialog.getByRole('combobox', { name: 'Run' });
  await run.focus();
  await run.press('ArrowDown');
  await run.press('Enter');
  // The run is served by the local Triton, which has no releases.
  await expect(dialog.getByRole('textbox', { name: 'Release' })).toBeHidden();
  await expect(dialog.getByText('Choose the folder of another Triton')).toBeVisible();
  await dialog.getByText('Load, timed loads and limits').press('Enter');
  await expect(dialog.getByLabel('Maximum increase of p99 (%)')).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'upgrade-start');
  await page.setViewportSize({ width: 1280, height: 800 });
  const folder = join(home.path, 'other-triton');
  await mkdir(folder);
  await choosePath(app, folder);
  const { said } = await answerConsent(app, 'cancel');
  await dialog.getByRole('button', { name: 'Choose the folder of a serving environment' }).press('Enter');
  await expect(dialog.locator('[role="alert"][data-code="not-trusted"]')).toBeVisible();
  expect((await said()).join('\n')).toContain(folder);
  await expect(dialog.getByRole('button', { name: 'Start comparison' })).toBeHidden();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(dialog).toBeHidden();
  expect(app.complaints).toEqual([]);
});

test('the run and the palette offer it for that run', async () => {
  const { page } = app;
  await new Shell(page).go('Runs');
  await page.locator(`[data-run="${runId}"]`).click();
  await page.getByRole('button', { name: 'More actions' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Try another release…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Try another release' });
  await expect(dialog.getByRole('combobox', { name: 'Run' })).not.toHaveValue('');
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('another release');
  await page.getByText('Try this run on another release…').click();
  await expect(dialog.getByRole('combobox', { name: 'Run' })).not.toHaveValue('');
  expect(await findings(page)).toEqual([]);
});
