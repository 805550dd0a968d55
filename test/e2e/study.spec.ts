import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import type { matrixDocument } from '../../main/domain/measured/matrix';
import { littleQueueDelayUs } from '../support/little-model';
import { Shell } from './pages/shell.page';
import {
  askToClose,
  choosePath,
  createHome,
  launch,
  saveTo,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from './support/app';
import { findings } from './support/axe';
import { countClicks } from './support/clicks';
import { takePictures } from './support/pictures';

/** Four whole runs on Triton, with a window that is closed between them. */
test.setTimeout(900_000);

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

const panel = () => app.page.getByRole('region', { name: 'four' });
const state = () => panel().locator('[data-study-state]');
const rows = () => app.page.getByRole('region', { name: 'Runs of four' }).locator('tr[data-trial]');
const press = (name: string) => panel().getByRole('button', { name }).click();

test('a matrix of four is started from a file, paused, resumed in another window, and its report exported', async () => {
  const file = join(home.path, 'four.yaml');
  await writeFile(
    file,
    stringify({
      name: 'four',
      preset: 'resnet50',
      // One export for all: the cache has it for the runs behind the first one.
      matrix: {
        'performance.measurementIntervalMs': [200, 210],
        'performance.stabilityPercentage': [999, 1000],
      },
      profile: 'quick',
      model: { args: { train_images: '20', val_images: '4', train_epochs: '1' } },
      accuracy: { thresholds: { top1: 0 } },
      configure: { maxQueueDelayUs: Number(littleQueueDelayUs) },
      performance: { batchSizes: [1], concurrency: [1, 2], maxTrials: 3, warmupMs: 100 },
    }),
  );
  const { page } = app;
  const damaged = join(home.path, 'studies', 'damaged');
  await mkdir(damaged, { recursive: true });
  await writeFile(join(damaged, 'journal.jsonl'), 'not a journal\n');
  await new Shell(page).go('Studies');
  await expect(page.locator('[data-study="damaged"]')).toContainText('Damaged');
  const damagedPanel = page.getByRole('region', { name: 'damaged' });
  await damagedPanel.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('menuitem', { name: 'Study only; its runs stay…' }).click();
  await damagedPanel.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'No studies yet' })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await choosePath(app, file);
  const ofMatrix = await countClicks(page, 'a matrix of four');
  await page.getByRole('button', { name: 'Start from a file…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start study' });
  await expect(dialog.getByRole('status')).toContainText('4 runs. Measuring takes about');
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel('Name').press('Enter');
  await expect(state()).toHaveText('Running');
  await ofMatrix.expectFew(1);
  await expect(rows()).toHaveCount(4);
  await expect(rows().first()).toContainText('Still running');
  await expect(panel().getByRole('list', { name: 'In progress' })).toContainText(/Run 1 of 4: \S/);
  expect(await findings(page)).toEqual([]);

  await press('Pause four');
  await expect(state()).toHaveText('Paused', { timeout: 300_000 });
  await expect(panel().getByRole('status')).toContainText('of 4 runs complete');

  await askToClose(app);
  await once(app.child, 'exit');
  app = await launch(home);
  await expect(state()).toHaveText('Paused');
  await press('Resume four');
  await expect(state()).toHaveText('Running');
  await askToClose(app);
  const question = new Shell(app.page).closeQuestion;
  await expect(question).toContainText(/study four (is|are) in progress/);
  await expect(question).toContainText('No further run of the study begins');
  await question.getByRole('button', { name: 'Keep running' }).click();
  await expect(state()).toHaveText('Done', { timeout: 600_000 });
  await expect(rows().getByText('Complete')).toHaveCount(4);
  await expect(app.page.getByRole('region', { name: 'Throughput by run' })).toBeVisible();
  await app.page.setViewportSize({ width: 1280, height: 800 });
  const cut = await app.page
    .getByRole('region', { name: 'Runs of four' })
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(cut).toBe(0);
  expect(await findings(app.page)).toEqual([]);
  await expect(app.page.getByText('Run ended: done')).toHaveCount(0);
  await takePictures(app.page, 'studies');

  const report = join(home.path, 'four-report.json');
  await saveTo(app, report);
  await panel().getByRole('button', { name: 'Export' }).click();
  await app.page.getByRole('menuitem', { name: 'JSON' }).click();
  await expect(app.page.getByText(report)).toBeVisible();
  const document = JSON.parse(await readFile(report, 'utf8')) as ReturnType<typeof matrixDocument>;
  expect(document.summary).toBe('4 of 4 runs complete');
  expect(new Set(document.runs.map(({ runId }) => runId)).size).toBe(4);

  // A run says which study it is of, and can be varied itself.
  await rows().first().getByRole('button').click();
  await expect(app.page.getByRole('button', { name: 'Study four' })).toBeVisible();
  await app.page.getByRole('button', { name: 'More actions' }).click();
  await app.page.getByRole('menuitem', { name: 'Vary two fields…' }).click();
  const vary = app.page.getByRole('dialog', { name: 'Vary' });
  await vary.getByRole('combobox', { name: 'First field' }).fill('configure.instances');
  await app.page.getByRole('option', { name: /configure\.instances/ }).click();
  await vary.getByLabel('Values of first field').fill('1, 2');
  await vary.getByRole('button', { name: 'Plan the runs' }).click();
  await expect(vary.getByRole('status')).toContainText('2 runs.');
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Escape');

  // From here to the best configuration, exported, it takes four clicks; the rest is typed.
  const ofSearch = await countClicks(app.page, 'best configuration, exported');
  await app.page.getByRole('button', { name: 'Find the best configuration' }).click();
  const search = app.page.getByRole('dialog', { name: 'Find the best configuration' });
  await search.getByText('Values to try').click();
  for (const [field, values] of [
    ['Largest p99 (ms)', '2000'],
    ['Maximum time under load (minutes)', '0.5'],
    ['Model instances', '1, 2'],
    ['Maximum queue delay (µs)', '0'],
    ['Threads per instance', '1'],
  ] as const) {
    await search.getByLabel(field).fill(values);
  }
  await expect(search.getByRole('status')).toHaveText(/^[3-6] configurations, at most 30 s of load\.$/);
  expect(await findings(app.page)).toEqual([]);
  await search.getByRole('button', { name: 'Start search' }).click();
  const found = app.page.getByRole('region', { name: /^search-\d{4}-\d{6}$/ });
  await expect(found.getByText(/\d+ of 30 s of load, \d of \d configurations measured/)).toBeVisible();
  await expect(found.locator('[data-study-state]')).toHaveText('Done', { timeout: 300_000 });
  await expect(found.getByRole('status')).toContainText('within p99 2,000 ms');
  const bundle = join(home.path, 'handover');
  await choosePath(app, bundle);
  await found.getByRole('button', { name: 'Bundle…' }).click();
  await expect(app.page.getByText(bundle)).toBeVisible();
  await ofSearch.expectFew();
  const [served] = await readdir(join(bundle, 'model-repository'));
  const config = await readFile(join(bundle, 'model-repository', served ?? '', 'config.pbtxt'), 'utf8');
  const saved = join(home.path, 'config.pbtxt');
  await saveTo(app, saved);
  await found.getByRole('button', { name: 'config.pbtxt…' }).click();
  await expect(app.page.getByText(saved)).toBeVisible();
  expect(await readFile(saved, 'utf8')).toBe(config);
  expect(await findings(app.page)).toEqual([]);
  await found.getByRole('button', { name: 'Remove…' }).click();
  // Its size is asked first: until then the button that asks stands there.
  await found.getByRole('button', { name: 'Remove', exact: true }).click();

  await panel().getByRole('button', { name: 'Remove' }).click();
  await app.page.getByRole('menuitem', { name: 'Study and its runs…' }).click();
  await expect(panel().getByText(/Its 4 runs \(.*\) go to the trash\./)).toBeVisible();
  await panel().getByRole('button', { name: 'Remove with runs' }).click();
  await expect(app.page.getByRole('heading', { name: 'No studies yet' })).toBeVisible();
  await new Shell(app.page).go('Runs');
  await expect(app.page.locator('tr[data-run]')).toHaveCount(0);
  expect(app.complaints).toEqual([]);
});
