import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { homeLayout, homePointerFile } from '../../main/platform/layout';
import { completeBodies, journalFixture } from '../support/run-state';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { Shell } from './pages/shell.page';
import { choosePath, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;
let config: string;

test.beforeAll(async () => {
  home = await createHome();
  const { cache, settings } = homeLayout(home.path);
  await mkdir(join(cache, 'key'), { recursive: true });
  await writeFile(join(cache, 'key', 'model.onnx'), 'x'.repeat(3 * 1024 * 1024));
  await writeFile(settings, JSON.stringify({ 'deployment.p99BudgetMs': 20, 'later.key': 1 }));
  const finished = { type: 'run-finished', outcome: 'done' } as const;
  await placeRun(home, journalFixture([...completeBodies(), finished]));
  config = await mkdtemp(join(tmpdir(), 'workbench-config-'));
  const env = { ...process.env, XDG_CONFIG_HOME: config };
  // Where the home is without the variable, which every test sets.
  await mkdir(dirname(homePointerFile(env)), { recursive: true });
  await writeFile(homePointerFile(env), JSON.stringify({ home: home.path }));
  app = await launch(home, env);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
  await rm(config, { recursive: true, force: true });
});

const setting = (name: string) =>
  app.page.locator('.setting', { has: app.page.getByRole('heading', { name }) });
const settingsFile = async (): Promise<unknown> =>
  JSON.parse(await readFile(homeLayout(home.path).settings, 'utf8'));

test('settings are set, kept with what is unknown, and reset', async () => {
  await app.page.keyboard.press('Control+,');
  await expect(app.page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(app.page.getByText('Unknown keys, which have no effect: later.key.')).toBeVisible();
  const budget = app.page.getByRole('textbox', { name: 'p99 budget (ms)' });
  await expect(budget).toHaveValue('20');
  await budget.fill('-1');
  await budget.press('Enter');
  await expect(setting('p99 budget')).toContainText('p99 budget must be a number of milliseconds above 0');
  await budget.fill('12.5');
  await budget.press('Enter');
  await expect.poll(settingsFile).toEqual({ 'deployment.p99BudgetMs': 12.5, 'later.key': 1 });
  await app.page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
  await expect(app.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await app.page.getByRole('button', { name: 'Reset Theme' }).click();
  await expect.poll(settingsFile).toEqual({ 'deployment.p99BudgetMs': 12.5, 'later.key': 1 });
  expect(await findings(app.page)).toEqual([]);
});

test('a new draft has the engine of the settings', async () => {
  await app.page.getByRole('combobox', { name: 'Engine' }).selectOption('Docker');
  await expect.poll(settingsFile).toMatchObject({ 'deployment.engine': 'docker' });
  await new NewDeploymentPage(app.page).begin();
  await expect(app.page.getByRole('radio', { name: /Docker/ }).first()).toBeChecked();
});

test('a retention lists the runs that it moves before it is set', async () => {
  await new Shell(app.page).command('Setting: Keep runs for');
  const days = app.page.getByRole('textbox', { name: 'Keep runs for (days)' });
  await expect(days).toBeFocused();
  await days.fill('30');
  await days.press('Enter');
  const dialog = app.page.getByRole('dialog', { name: 'Move older runs to the trash?' });
  await expect(dialog).toContainText('20251121-081700-resnet50');
  expect(await findings(app.page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep all runs' }).click();
  expect(await settingsFile()).not.toHaveProperty(['runs.keepDays']);
});

test('the clean-up is found by what it is for, and removes what is ticked', async () => {
  await new Shell(app.page).command('free disk space');
  const cleanUp = app.page.getByRole('button', { name: 'Clean up…' });
  await expect(cleanUp).toBeFocused();
  await cleanUp.press('Enter');
  const dialog = app.page.getByRole('dialog', { name: 'Clean up' });
  await dialog.getByRole('checkbox', { name: /Cache: 3.0/ }).check();
  await dialog.getByRole('button', { name: /Remove 3.0/ }).click();
  await expect(app.page.getByText('Cleaned up')).toBeVisible();
  await expect(app.page.getByRole('row', { name: /Runs/ })).toBeVisible();
  // An empty cache has no folder.
  await expect(app.page.getByRole('row', { name: /^Cache/ })).toHaveCount(0);
});

test('the documentation is read beside the page, searched as one types, by keyboard', async () => {
  const { page } = app;
  const pane = page.getByRole('complementary', { name: 'Documentation' });
  const article = pane.getByRole('region', { name: 'Article' });
  const search = pane.getByRole('combobox', { name: 'Search the documentation' });
  const settingsSearch = page.getByRole('searchbox', { name: 'Search settings' });
  await page.keyboard.press('Control+,');
  await settingsSearch.focus();
  await page.keyboard.press('F1');
  await expect(article.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
  await expect(search).toBeFocused();
  expect(await findings(page), 'an article').toEqual([]);
  // The page beside it stays usable.
  await settingsSearch.fill('proxy');
  await expect(page.locator('main').getByRole('heading', { name: 'Proxy', exact: true })).toBeVisible();
  await settingsSearch.fill('');

  await search.fill('dynamic batch');
  const found = pane.getByRole('option');
  await expect(found.first()).toBeVisible();
  expect(await findings(page), 'what was found').toEqual([]);
  await search.fill('docker group');
  await expect(found.first()).toContainText(/docker/i);
  await page.keyboard.press('ArrowDown');
  await expect(found.nth(1)).toHaveAttribute('aria-selected', 'true');
  await search.fill('tls');
  await expect(found.filter({ hasText: 'Load › TLS' })).toBeVisible();
  await found.filter({ hasText: 'Load › TLS' }).click();
  await expect(article).toBeFocused();
  await expect(article.getByRole('heading', { name: 'TLS', exact: true })).toBeInViewport();

  await article.getByRole('button', { name: 'Copy code' }).first().click();
  const copied = await app.electron.evaluate(({ clipboard }) => clipboard.readText());
  expect(copied.length).toBeGreaterThan(0);
  await expect(
    article
      .locator('pre')
      .filter({ hasText: copied.split('\n')[0] ?? '' })
      .first(),
  ).toBeAttached();

  await pane.getByRole('button', { name: 'Contents' }).click();
  await expect(pane.getByRole('navigation', { name: 'Contents' }).getByRole('button').first()).toHaveText(
    'Your first deployment',
  );
  expect(await findings(page), 'the contents').toEqual([]);
  await pane.getByRole('button', { name: 'Article of this page' }).click();
  await expect(article.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
  await pane.getByRole('button', { name: 'Back' }).click();
  await expect(article.getByRole('heading', { name: 'TLS', exact: true })).toBeInViewport();

  const edge = pane.getByRole('separator', { name: 'Width of the documentation' });
  const before = Number(await edge.getAttribute('aria-valuenow'));
  await edge.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(edge).toHaveAttribute('aria-valuenow', `${before + 20}`);
  await settingsSearch.focus();
  await search.focus();
  await page.keyboard.press('Escape');
  await expect(pane).toBeHidden();
  await expect(settingsSearch).toBeFocused();
  await new Shell(page).command('Documentation');
  await expect(search).toBeFocused();
  await expect(edge).toHaveAttribute('aria-valuenow', `${before + 20}`);
  await page.keyboard.press('Escape');
});

test('no page is wider than its room beside the documentation', async () => {
  const { page } = app;
  const pane = page.getByRole('complementary', { name: 'Documentation' });
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    for (const name of [
      'Runs',
      'New deployment',
      'Studies',
      'Deployments',
      'Monitor',
      'Containers',
      'Compare',
      'Environment',
      'Hosts',
    ] as const) {
      await new Shell(page).go(name);
      await page.keyboard.press('F1');
      await expect(pane.getByRole('region', { name: 'Article' })).toBeVisible();
      const wide = await page.evaluate(() => {
        const room = document.querySelector('main')?.getBoundingClientRect().right ?? 0;
        const head = [...document.querySelectorAll('.page-head button')];
        return {
          page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          head: head.filter((one) => one.getBoundingClientRect().right > room).length,
        };
      });
      expect(wide, `${name} at ${width} pixels`).toEqual({ page: 0, head: 0 });
    }
  }
  await new Shell(page).go('New deployment');
  await page.keyboard.press('F1');
  await takePictures(page, 'documentation');
  await page.setViewportSize({ width: 1280, height: 800 });
  await pane.getByRole('button', { name: 'Close documentation' }).click();
  await expect(pane).toBeHidden();
});

test('the help shows the changelog, and a report without the home', async () => {
  const help = app.page.getByRole('button', { name: 'Help', exact: true });
  const pane = app.page.getByRole('complementary', { name: 'Documentation' });
  await help.click();
  await app.page.getByRole('menuitem', { name: 'Changelog' }).click();
  await expect(pane.getByRole('heading', { name: 'Changelog' })).toBeVisible();
  await app.page.keyboard.press('Escape');
  await expect(help).toBeFocused();
  await help.click();
  await app.page.getByRole('menuitem', { name: 'About Triton Workbench' }).click();
  await app.page.getByRole('button', { name: 'Licenses', exact: true }).click();
  const licenses = app.page.getByRole('dialog', { name: 'Licenses', exact: true });
  await expect(licenses).toContainText('In a clone, see package-lock.json');
  await app.page.keyboard.press('Escape');
  await help.click();
  await app.page.getByRole('menuitem', { name: 'Report a problem…' }).click();
  const text = app.page.getByRole('region', { name: 'Problem report' });
  await expect(text).toContainText('## Application log');
  await expect(text).toContainText('Started:');
  await expect(text).not.toContainText(home.path);
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Escape');
});

test('what is new is shown once after an update, and again from the palette', async () => {
  const news = app.page.getByRole('dialog', { name: /^What’s new in / });
  await expect(news).toBeHidden();
  await app.page.evaluate(() => {
    window.localStorage.setItem('seen-version', '"0.0.1"');
  });
  await app.page.reload();
  await expect(news.getByRole('region', { name: 'Article' })).toBeFocused();
  await expect(news).toContainText('0.1.0');
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Escape');
  await expect(news).toBeHidden();
  await app.page.reload();
  await expect(app.page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
  await expect(news).toBeHidden();
  await new Shell(app.page).command('What’s new');
  await expect(news).toBeVisible();
  await news.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(news).toBeHidden();
});

test('an address outside of the list is copied and not opened', async () => {
  await app.electron.evaluate(({ shell, clipboard }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { openedLinks: opened });
    shell.openExternal = (address: string) => {
      opened.push(address);
      return Promise.resolve();
    };
    clipboard.clear();
  });
  const link = (address: string) =>
    app.page.evaluate((to) => window.workbench.call('desktop.openLink', { address: to }), address);
  expect(await link('https://evil.example.org/')).toMatchObject({ value: { opened: false } });
  expect(await link('https://docs.nvidia.com/deeplearning/')).toMatchObject({ value: { opened: true } });
  const seen = await app.electron.evaluate(({ clipboard }) => ({
    opened: (globalThis as { openedLinks?: string[] }).openedLinks,
    copied: clipboard.readText(),
  }));
  expect(seen).toEqual({
    opened: ['https://docs.nvidia.com/deeplearning/'],
    copied: 'https://evil.example.org/',
  });
  expect(app.complaints).toEqual([]);
});

test('the home moves with its data, after a question', async () => {
  const to = join(config, 'moved', 'home');
  const unasked = await app.page.evaluate((path) => window.workbench.call('home.move', { to: path }), to);
  expect(unasked).toMatchObject({ ok: false, error: { code: 'input-invalid', where: to } });
  await choosePath(app, to);
  await app.page.keyboard.press('Control+,');
  await app.page.getByRole('searchbox', { name: 'Search settings' }).fill('home');
  await app.page.getByRole('button', { name: 'Move…' }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Move the workbench home' });
  await expect(dialog).toContainText(to);
  expect(await findings(app.page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Move home' }).click();
  await expect(dialog.getByRole('button', { name: 'Close the workbench' })).toBeVisible();
  expect(JSON.parse(await readFile(homePointerFile({ XDG_CONFIG_HOME: config }), 'utf8'))).toMatchObject({
    home: to,
    previous: home.path,
  });
  expect(await readdir(join(to, 'runs'))).toEqual(await readdir(join(home.path, 'runs')));
});
