import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { LoadPoint } from '../../main/contract/measured/results';
import { startCli } from '../support/cli';
import { parseCsvRows } from '../support/parse-csv';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import { Shell } from './pages/shell.page';
import { createHome, launch, saveTo, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { countClicks } from './support/clicks';
import { takePictures } from './support/pictures';
import { onlyRun } from './support/run-on-disk';

/** In this order: the second test opens the run that the first one has left. */
test.describe.configure({ mode: 'serial' });

const longStepMs = 300_000;

const wizardPictures = [
  ['Environment', 'wizard-1-environment'],
  ['Model', 'wizard-2-model'],
  ['Export & convert', 'wizard-3-export'],
  ['Configure', 'wizard-4-configure'],
  ['Accuracy', 'wizard-5-accuracy'],
  ['Performance', 'wizard-6-performance'],
  ['Review & run', 'wizard-7-review'],
] as const;

let home: TestHome;
let app: WorkbenchApp;

test.beforeAll(async () => {
  home = await createHome();
});
test.afterEach(async () => {
  await shutDown(app);
});
test.afterAll(async () => {
  await home.remove();
});

test('a newcomer deploys ResNet50 with what stands in the form and exports the report', async () => {
  app = await launch(home);
  const { page } = app;
  const run = new RunPage(page);
  await expect(page.getByRole('heading', { name: 'No runs yet' })).toBeVisible();

  await new Shell(page).go('New deployment');
  const form = new NewDeploymentPage(page);
  await form.preset('ResNet-50 v1.5').click();
  await form.start.click();

  // The steps go live one after the other.
  await expect(run.status).toHaveAttribute('data-status', 'running');
  const offlineAtFirstMarker = await run.stepAtFirstMarker('throughput', 'offline');
  await expect(run.step('prepare-data')).toHaveAttribute('data-status', /running|done/);
  // What happens now comes first, before there is a figure.
  const now = page.getByRole('region', { name: 'Now', exact: true });
  await expect(now.getByRole('heading')).toBeVisible();
  await expect(page.locator('[data-page-type="live"]')).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await run.waitForStep('deploy', /running|done/);
  await run.waitForStep('accuracy', /^done$/);
  await run.waitForStep('offline', /running/);
  await expect(now).toContainText('Throughput now');

  await run.showChart('throughput');
  // Points land in the chart while the sweep runs: the first is drawn before the step is done.
  await expect(run.markers('throughput', 0).first()).toBeVisible({ timeout: longStepMs });
  expect(await offlineAtFirstMarker()).toBe('running');
  await run.waitForStep('online', /running/);
  await run.waitUntilDone();

  const { state } = await onlyRun(home);
  for (const [scenario, name] of [
    ['offline', 'Offline'],
    ['online', 'Online'],
  ] as const) {
    const { points } = state.scenarios[scenario];
    expect(points.length).toBeGreaterThan(1);
    await run.showScenario(name);
    await expect(run.rows()).toHaveCount(points.length);
    await run.showChart('throughput');
    await expect(run.markers('throughput', 0)).toHaveCount(points.length);
    await expect(run.markers('latency', 0)).toHaveCount(points.length);
    await run.showChart('components');
    await expect(run.bars()).toHaveCount(points.length * 7);
  }
  await expect(run.accuracy).toContainText('Top-1 accuracy');

  const pdfPath = join(home.path, 'exported.pdf');
  await saveTo(app, pdfPath);
  await run.button('Export PDF').click();
  await expect(page.getByText(pdfPath)).toBeVisible();
  expect((await readFile(pdfPath)).subarray(0, 4).toString()).toBe('%PDF');
  const text = execFileSync('pdftotext', ['-layout', pdfPath, '-'], { encoding: 'utf8' });
  const all = [...state.scenarios.offline.points, ...state.scenarios.online.points];
  for (const { point } of all) {
    expect(shown(text, point.inferencesPerSecond), `throughput ${point.inferencesPerSecond}`).toBe(true);
    expect(shown(text, point.p99Us / 1000), `p99 ${point.p99Us / 1000} ms`).toBe(true);
  }

  for (const [scenario, item] of [
    ['offline', 'CSV, offline levels'],
    ['online', 'CSV, online levels'],
  ] as const) {
    const csvPath = join(home.path, `${scenario}.csv`);
    await saveTo(app, csvPath);
    await run.exportAs(item);
    await expect(page.getByText(csvPath)).toBeVisible();
    const rows = parseCsvRows(await readFile(csvPath, 'utf8'));
    const measured = state.scenarios[scenario].points.map(({ point }) => point);
    expect(rows.map(exportedRow)).toEqual(measured.sort(byLoad).map(expectedRow));
  }
  expect(app.complaints).toEqual([]);
});

/**
 * Whether the text has the value rounded to some number of decimals, with three or more digits in all. Times are rounded to
 * the microsecond first, as in the files: a half of the last decimal may fall to either side by it.
 */
const shown = (text: string, value: number): boolean =>
  [...text.matchAll(/\d[\d,]*(?:\.(\d+))?/g)].some(([token, decimals = '']) => {
    const digits = token.replaceAll(',', '');
    const half = 0.5 * 10 ** -decimals.length;
    return digits.replace('.', '').length >= 3 && Math.abs(Number(digits) - value) <= half + 0.000501;
  });

const byLoad = (a: LoadPoint, b: LoadPoint): number =>
  a.batchSize - b.batchSize || a.concurrency - b.concurrency;
const ms = (us: number | null): number => Number(((us ?? NaN) / 1000).toFixed(3));

const expectedRow = (point: LoadPoint): object => ({
  batchSize: point.batchSize,
  concurrency: point.concurrency,
  inferencesPerSecond: Number(point.inferencesPerSecond.toPrecision(9)),
  queueMs: ms(point.serverQueueUs),
  inferMs: ms(point.serverComputeInferUs),
  p99Ms: ms(point.p99Us),
  avgMs: ms(point.avgUs),
  requests: point.requestCount,
});

const exportedRow = (row: Readonly<Record<string, string>>): object => ({
  batchSize: Number(row['Batch']),
  concurrency: Number(row['Concurrency']),
  inferencesPerSecond: Number(row['Inferences/Second']),
  queueMs: Number(row['Server Queue (ms)']),
  inferMs: Number(row['Server Compute Infer (ms)']),
  p99Ms: Number(row['p99 latency (ms)']),
  avgMs: Number(row['avg latency (ms)']),
  requests: Number(row['Request Count']),
});

test('the finished run is there again when the window is opened again', async () => {
  app = await launch(home);
  const run = new RunPage(app.page);
  await expect(run.status).toHaveAttribute('data-status', 'done');
  const { state } = await onlyRun(home);
  await run.showScenario('Online');
  await expect(run.rows()).toHaveCount(state.scenarios.online.points.length);

  await run.step('deploy').click();
  await expect(run.log).toContainText('resnet50');
  await app.page.getByRole('textbox', { name: 'Search the log' }).fill('no line of a log reads like this');
  await expect(run.log).toContainText('No line contains');
  await run.tab('Commands').click();
  await app.page.getByRole('button', { name: 'Copy command' }).click();
  await expect
    .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()))
    .toContain('tritonserver');

  await new Shell(app.page).go('Runs');
  const row = app.page.locator(`[data-run="${state.runId}"]`);
  await expect(row).toContainText('Done');
  await expect(row).toContainText('verified');
});

test('the finished run is kept serving in two clicks, and the window can go', async () => {
  const { state } = await onlyRun(home);
  app = await launch(home);
  let { page } = app;
  await new Shell(page).go('Deployments');
  await expect(page.getByRole('heading', { name: 'No deployments yet' })).toBeVisible();
  await new Shell(page).go('Runs');
  await page.locator(`[data-run="${state.runId}"]`).click();
  const ofServing = await countClicks(page, 'a run kept serving');
  await page.getByRole('button', { name: 'Keep serving' }).click();
  const panel = () => page.getByRole('region', { name: 'resnet50' });
  await expect(panel().locator('[data-state="ready"]')).toHaveCount(2, { timeout: longStepMs });
  await expect(panel()).toContainText('Canary, 8 samples and a batch of 8');
  await ofServing.expectFew(1);
  const url = (await panel().locator('code').first().textContent()) ?? '';
  await shutDown(app);

  expect((await fetch(`${url}/v2/models/resnet50/ready`)).status).toBe(200);
  app = await launch(home);
  ({ page } = app);
  await expect(panel().locator('[data-state="ready"]')).toHaveCount(2);
  await panel().getByText('Client code').click();
  await expect(panel()).toContainText('import tritonclient.http as triton');
  await panel().getByRole('button', { name: 'Copy Python (tritonclient) of resnet50' }).click();
  await expect
    .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()))
    .toContain(url.replace('http://', ''));
  // The tooltip of the button would cover what is above it.
  await page.mouse.move(0, 0);
  await takePictures(page, 'deployments');

  await new Shell(page).go('Runs');
  await page.locator(`[data-run="${state.runId}"]`).click();
  const ofVersions = await countClicks(page, 'the next version served, and rolled back');
  await page.getByRole('button', { name: 'Keep serving' }).click();
  await page.getByRole('menuitem', { name: 'As the next version in resnet50' }).click();
  await panel().getByRole('button', { name: 'Roll back resnet50 of resnet50 to version 1' }).click();
  const rollBack = panel().getByRole('button', { name: 'Roll back', exact: true });
  for (const width of [1920, 1280, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(rollBack).toBeInViewport({ ratio: 1 });
    await expect(panel().getByRole('group', { name: /^Return / })).toBeInViewport({ ratio: 1 });
  }
  await rollBack.click();
  await expect(page.getByText('resnet50 serves version 1 again.')).toBeVisible();
  await ofVersions.expectFew();

  await panel().getByRole('button', { name: 'Monitor resnet50' }).click();
  await expect(page.getByRole('heading', { name: 'Monitor', level: 1 })).toBeVisible();
  await expect(page.getByText('resnet50').first()).toBeVisible();
  await page.getByRole('button', { name: 'Stop watching' }).click();
  await new Shell(page).go('Deployments');
  await panel().getByRole('button', { name: 'Stop resnet50' }).click();
  await panel().getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(panel().locator('[data-state="stopped"]').first()).toBeVisible({ timeout: longStepMs });
  await panel().getByRole('button', { name: 'Remove resnet50' }).click();
  await panel().getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No deployments yet' })).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('every page, dark and light, small and large', async () => {
  const { state } = await onlyRun(home);
  // A second run to compare with: the same files, other levels.
  const again = startCli(home.path, [
    ...[
      'run',
      'resnet50',
      '--set',
      'performance.batchSizes=[1,2]',
      '--set',
      'performance.concurrency=[1,2,4]',
    ],
    ...['--set', 'performance.measurementIntervalMs=200', '--set', 'performance.maxTrials=3'],
    ...['--set', 'performance.warmupMs=100', '--set', 'configure.instances=2'],
  ]);
  const { code, stderr } = await again.result;
  expect(code, stderr).toBe(0);
  app = await launch(home);
  const { page } = app;
  const shell = new Shell(page);
  const form = new NewDeploymentPage(page);

  await shell.go('Runs');
  await expect(page.locator('[data-run]')).toHaveCount(2);
  await takePictures(page, 'runs');
  for (const box of await page.getByRole('checkbox', { name: /^Select / }).all()) await box.check();
  await page
    .getByRole('button', { name: /^Compare/ })
    .last()
    .click();
  await expect(page.locator('.plot .scatterlayer .trace').first()).toBeVisible();
  await takePictures(page, 'compare');

  await shell.go('Runs');
  await page.locator(`[data-run="${state.runId}"]`).click();
  const run = new RunPage(page);
  await expect(run.markers('throughput', 0).first()).toBeVisible();
  await takePictures(page, 'run');

  await shell.go('New deployment');
  await expect(form.preset('ResNet-50 v1.5')).toBeVisible();
  await takePictures(page, 'new-deployment');
  await form.preset('ResNet-50 v1.5').click();
  await expect(form.summary).toContainText('Ready to run.');
  await takePictures(page, 'new-deployment-simple');
  await form.show('All settings');
  for (const [title, name] of wizardPictures) {
    await form.open(title);
    await takePictures(page, name);
  }
  await shell.go('Containers');
  await expect(page.getByRole('heading', { name: 'Containers', level: 1 })).toBeVisible();
  await takePictures(page, 'containers');
  await shell.go('Environment');
  await expect(page.getByRole('region', { name: 'Preflight' })).toBeVisible();
  await takePictures(page, 'environment');
  expect(app.complaints).toEqual([]);
});
