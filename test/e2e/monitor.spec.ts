import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { stubsOf } from '../support/stub-processes';
import { startTestTriton, type TestTriton } from '../support/triton';
import { MonitorPage } from './pages/monitor.page';
import { Shell } from './pages/shell.page';
import { createHome, launch, saveTo, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { countClicks } from './support/clicks';
import { fillForPictures, takePictures } from './support/pictures';

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

test('a server is watched, probed and recorded', async () => {
  const monitor = new MonitorPage(app.page);
  await new Shell(app.page).command('Monitor');
  await expect(app.page.getByRole('heading', { name: 'No server watched' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  const clicks = await countClicks(app.page, 'watch with an alert');
  await monitor.watch(`http://${triton.httpAddress}`, `http://${triton.metricsAddress}/metrics`);
  await expect(monitor.state('echo/1')).toHaveAttribute('data-state', 'ready');
  await expect(monitor.server).toHaveAttribute('data-server', 'up');
  // The empty chart offers what it lacks.
  await app.page
    .locator('[data-chart="monitor-probe"]')
    .getByRole('button', { name: 'Start probes' })
    .click();
  await expect(monitor.probes).toBeChecked();
  const before = await monitor.rules.count();
  await monitor.action('Add a rule').click();
  // The one before it is of the same kind.
  await expect(monitor.rules).toHaveCount(before + 1);
  await monitor.newRule.getByLabel('Probe p99 above').fill('0.001');
  await monitor.newRule.getByLabel('Probe p99: duration in seconds').fill('0');
  await expect(monitor.firing).toContainText('echo');
  await clicks.expectFew();
  await monitor.newRule.getByRole('button', { name: 'Remove rule: Probe p99' }).click();
  await monitor.action('Record to a file').click();
  await expect(monitor.lines('monitor-probe').first()).toBeAttached();
  await expect(monitor.now).toContainText(/of \d+ probes in the last minute/);
  await expect(new Shell(app.page).status).toContainText(triton.httpAddress);
  expect(await findings(app.page)).toEqual([]);
  // With text at 125, 150 and 200 %: the room of 1280 × 800.
  for (const size of [1024, 853, 640]) {
    await app.page.setViewportSize({ width: size, height: Math.round(size / 1.6) });
    const cells = await app.page.locator('[data-model="echo/1"] td').evaluateAll((all) => {
      const edge = document.documentElement.clientWidth;
      return all
        .filter((cell) => cell.clientWidth > 0)
        .map((cell) => cell.scrollWidth <= cell.clientWidth && cell.getBoundingClientRect().right <= edge);
    });
    expect(cells.length, `cells at ${size} pixels`).toBeGreaterThan(3);
    expect(cells, `whole cells at ${size} pixels`).not.toContain(false);
  }
  await app.page.setViewportSize({ width: 1280, height: 800 });
  await fillForPictures(app.page, 90_000);
  // From its top, and without the tooltip of the last button.
  await app.page.mouse.move(0, 0);
  await app.page.locator('.page-body').evaluate((body) => body.scrollTo(0, 0));
  await takePictures(app.page, 'monitor');
});

test('a model is unloaded and loaded, and its configuration shown', async () => {
  const monitor = new MonitorPage(app.page);
  await monitor.action('Configuration of echo').click();
  await expect(app.page.getByRole('dialog')).toContainText('max_batch_size: 4');
  await app.page.keyboard.press('Escape');
  await monitor.action('Unload echo').click();
  await expect(monitor.question).toContainText(`Unload echo from ${triton.httpAddress}?`);
  await expect(monitor.state('echo/1')).toHaveAttribute('data-state', 'ready');
  await monitor.question.getByRole('button', { name: 'Unload', exact: true }).click();
  await expect(app.page.locator('[data-model^="echo"] [data-state="unavailable"]')).toBeVisible();
  await monitor.action('Load echo').click();
  await expect(monitor.state('echo/1')).toHaveAttribute('data-state', 'ready');
  await expect(monitor.events).toContainText('echo/1 loaded');
});

test('a dead stub is shown as a failing model, a dead server as gone', async () => {
  const monitor = new MonitorPage(app.page);
  for (const pid of stubsOf(triton.pid)) process.kill(pid, 'SIGKILL');
  await expect(monitor.state('echo/1')).toHaveAttribute('data-state', 'failing');
  await expect(monitor.alerts).toContainText('is not healthy');
  triton.kill();
  await expect(monitor.server).toHaveAttribute('data-server', 'gone');
  await expect(new Shell(app.page).status).toContainText('gone');
  expect(await findings(app.page)).toEqual([]);
});

test('what was seen is saved as CSV, and the recording plays again', async () => {
  const monitor = new MonitorPage(app.page);
  const path = join(home.path, 'seen.csv');
  await saveTo(app, path);
  await monitor.action('Export').click();
  await app.page.getByRole('menuitem', { name: 'CSV, one row per second' }).click();
  await expect(app.page.getByText(path)).toBeVisible();
  const shown = await app.electron.evaluateHandle(({ shell }) => {
    const paths: string[] = [];
    shell.showItemInFolder = (item) => paths.push(item);
    shell.openPath = (item) => Promise.resolve(paths.push(item) > 0 ? '' : '');
    return paths;
  });
  await app.page.getByRole('button', { name: 'Show in folder' }).click();
  await app.page.getByRole('button', { name: 'Open', exact: true }).press('Enter');
  await expect.poll(() => shown.jsonValue()).toEqual([path, path]);
  const foreign = '/etc/passwd';
  const refused = await app.page.evaluate(
    (name) => window.workbench.call('desktop.openSaved', { path: name, how: 'file' }),
    foreign,
  );
  expect(refused).toMatchObject({ ok: false, error: { code: 'input-invalid', where: foreign } });
  expect(await readFile(path, 'utf8')).toContain('model:echo/1');
  await monitor.action('Export').click();
  await app.page.getByRole('menuitem', { name: 'Title, customer and contents…' }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Title, customer and contents of the report' });
  await dialog.getByLabel('Title', { exact: true }).fill('Night of the switch');
  expect(await findings(app.page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep' }).press('Enter');
  await expect(dialog).toBeHidden();
  const report = join(home.path, 'seen.html');
  await saveTo(app, report);
  await monitor.action('Export').click();
  await app.page.getByRole('menuitem', { name: 'Report, HTML' }).click();
  await expect(app.page.getByText(report)).toBeVisible();
  expect(await readFile(report, 'utf8')).toContain('<h1>Night of the switch</h1>');
  await monitor.action('Stop watching').click();
  await expect(app.page.getByRole('region', { name: 'Recordings' })).toContainText(triton.httpAddress);
  await app.page.getByRole('button', { name: /^Replay monitor-/ }).click();
  await expect(monitor.server).toContainText('Recording monitor-');
  await expect(app.page.locator('[data-model="echo/1"]')).toBeVisible();
});

test('nothing is said on the console', () => {
  expect(app.complaints).toEqual([]);
});
