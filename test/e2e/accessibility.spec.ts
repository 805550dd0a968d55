import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { accuracyBody, completeBodies, createdBodies, journalFixture } from '../support/run-state';
import { ContainersPage } from './pages/containers.page';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { placeRun } from './support/place-run';

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

test('the empty list of runs', async () => {
  await expect(app.page.getByRole('button', { name: 'Start the ResNet-50 demo' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
});

test('every page of a new deployment, with a field that needs correcting', async () => {
  const form = new NewDeploymentPage(app.page);
  await new Shell(app.page).go('New deployment');
  await expect(form.preset('ResNet-50 v1.5')).toBeVisible();
  expect(await findings(app.page), 'the choices to begin from').toEqual([]);
  await form.preset('ResNet-50 v1.5').click();
  await expect(form.summary).toContainText('Ready to run.');
  await app.page.locator('.wizard details').evaluateAll((folded) => {
    for (const details of folded) details.setAttribute('open', '');
  });
  expect(await findings(app.page), 'the simple page').toEqual([]);
  await expect(app.page.locator('.page-body')).toHaveAttribute('data-page-type', 'form');
  await expect(app.page.locator('.field-term'), 'codes of fields on the simple page').toHaveCount(0);
  await app.page.setViewportSize({ width: 1280, height: 800 });
  const widths = await app.page
    .locator('[id="field-engine.kind"] .option.card')
    .evaluateAll((cards) => cards.map((card) => card.clientWidth));
  expect(Math.min(...widths), 'width of an engine’s card, in which its reason can be read').toBeGreaterThan(
    180,
  );
  await form.show('All settings');
  await expect(form.start).toBeEnabled();
  for (const name of [
    'Environment',
    'Model',
    'Export & convert',
    'Configure',
    'Accuracy',
    'Review & run',
    'Performance',
  ] as const) {
    await form.open(name);
    await app.page.locator('.wizard details').evaluateAll((folded) => {
      for (const details of folded) details.setAttribute('open', '');
    });
    expect(await findings(app.page), name).toEqual([]);
    if (name === 'Model') await expect(app.page.locator('.field-term').first()).toBeVisible();
  }
  await form.text('Offline batch sizes').fill('1, many');
  await expect(form.start).toBeDisabled();
  await expect(app.page.getByText('“many” is not a whole number of at least 1')).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  await form.reset('Offline batch sizes').click();
  await expect(form.start).toBeEnabled();
});

test('the environment', async () => {
  await new Shell(app.page).go('Environment');
  await expect(app.page.getByRole('heading', { name: 'This machine' })).toBeVisible();
  await expect(app.page.getByRole('region', { name: 'Preflight' })).toBeVisible();
  for (const folded of await app.page.locator('.checks-rest > summary').all()) await folded.click();
  expect(await findings(app.page)).toEqual([]);
});

test('the deployments, before there is one', async () => {
  await new Shell(app.page).go('Deployments');
  await expect(app.page.getByRole('heading', { name: 'No deployments yet' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
});

test('the containers and the images', async () => {
  const containers = new ContainersPage(app.page);
  await new Shell(app.page).go('Containers');
  await expect(containers.connection).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  await containers.show('Images');
  await expect(containers.pull).toBeVisible();
  await app.page.getByText('Registry login').click();
  expect(await findings(app.page)).toEqual([]);
});

test('a run with an unsteady level and a hole, and its row in the list', async () => {
  const { runId } = await placeRun(home, journalFixture(completeBodies()));
  await app.page.reload();
  await new Shell(app.page).go('Runs');
  await expect(app.page.locator(`[data-run="${runId}"]`)).toContainText('Interrupted');
  expect(await findings(app.page)).toEqual([]);
  await app.page.locator(`[data-run="${runId}"]`).click({ button: 'right' });
  await expect(app.page.getByRole('menuitem', { name: 'Rename…' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Escape');

  await app.page.locator(`[data-run="${runId}"]`).click();
  const run = new RunPage(app.page);
  await expect(run.rows()).toHaveCount(7);
  await expect(run.markers('throughput', 0)).toHaveCount(6);
  await expect(run.rows().nth(5)).toContainText('No result: The load tool ended with exit code 99');
  expect(await findings(app.page)).toEqual([]);
  await run.step('report').click();
  await run.tab('Commands').click();
  expect(await findings(app.page)).toEqual([]);
  await run.tab('Facts').click();
  expect(await findings(app.page)).toEqual([]);
});

test('comparing, the command palette and the shortcuts', async () => {
  const shell = new Shell(app.page);
  await shell.go('Compare');
  await expect(app.page.getByRole('heading', { name: 'Nothing to compare yet' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Control+K');
  await expect(app.page.getByRole('listbox', { name: 'Commands' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Escape');
  await shell.command('all shortcuts');
  await expect(app.page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Escape');
});

/** What the text at 200 % leaves of a window of 1280 × 800. */
const large = { width: 640, height: 400 };

test.afterEach(() => app.page.setViewportSize({ width: 1280, height: 800 }));

test('no page is wider than the window, nor its head, with text at 200 %', async () => {
  const { page } = app;
  const shell = new Shell(page);
  const beyond = () =>
    page.evaluate(() => {
      const edge = document.documentElement.clientWidth;
      const wide = [...document.querySelectorAll('html, .page-body, .run-main, .page-head, .page-head *')];
      return wide
        .filter((one) => one.getBoundingClientRect().right > edge + 1 || one.scrollWidth > edge)
        .map((one) => one.outerHTML.slice(0, 120));
    });
  await shell.go('Runs');
  await page.setViewportSize(large);
  const name = page.locator('[data-run] .run-name').first();
  expect((await name.boundingBox())?.width, 'the name of a run').toBeGreaterThan(60);
  expect(await beyond(), 'Runs').toEqual([]);
  await name.click();
  await expect(new RunPage(page).rows().first()).toBeVisible();
  expect(await beyond(), 'a run').toEqual([]);
  const lists = ['Studies', 'Deployments', 'Containers', 'Hosts'] as const;
  for (const one of ['New deployment', 'Monitor', 'Compare', 'Environment', ...lists] as const) {
    await shell.go(one);
    await expect(page.getByRole('heading', { level: 1, name: one })).toBeVisible();
    expect(await beyond(), one).toEqual([]);
  }
  await shell.go('Runs');
  await shell.command('Hosts');
  await expect(shell.entry('Hosts'), 'the page in the rail').toBeInViewport({ ratio: 0.95 });
  const containers = new ContainersPage(page);
  await shell.go('Containers');
  await containers.show('Images');
  for (const build of await page.getByRole('button', { name: /^Build / }).all()) {
    await build.scrollIntoViewIfNeeded();
    await expect(build).toBeInViewport({ ratio: 0.95 });
  }
  await page.keyboard.press('Control+K');
  const titles = page.getByRole('listbox', { name: 'Commands' }).locator('.palette-entry > .cut:first-child');
  const cut = await titles.evaluateAll((all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
  );
  expect(cut, 'names of commands').toEqual([]);
  await page.keyboard.press('Escape');
});

test('the name of a run and what it is of are a line each at 1280 pixels, and its start is not cut in the list', async () => {
  const { page } = app;
  await new Shell(page).go('Runs');
  const cells = page.locator('[data-run] td.number');
  await expect(cells.last()).toHaveText(/^21 Nov 2025/);
  const cut = await cells.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
  expect(cut, 'cut cells').toBe(0);
  await page.locator('[data-run] .run-name').first().click();
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toHaveAccessibleName(/^ResNet-50 v1\.5 · onnx fp16 · quick · local$/);
  const [whole, rest] = [await title.boundingBox(), await title.locator('.title-rest').boundingBox()];
  expect(rest?.y, 'a line of its own').toBeGreaterThan((whole?.y ?? 0) + 10);
  expect(rest?.height, 'of one line').toBeLessThan(22);
});

test('the title of a new deployment has one line beside its actions at 1280 pixels, and its model another', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  await form.begin();
  await expect(form.start).toBeEnabled();
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toHaveAccessibleName('New deployment · ResNet-50 v1.5');
  const [whole, rest] = [await title.boundingBox(), await title.locator('.title-rest').boundingBox()];
  expect((whole?.height ?? 0) - (rest?.height ?? 0), 'of one line').toBeLessThan(24);
  for (const name of ['Open configuration…', 'Find the best configuration', 'Reset settings']) {
    await expect(page.getByRole('button', { name }), name).toBeInViewport({ ratio: 0.95 });
  }
});

test('the way to a run by keyboard alone', async () => {
  await new Shell(app.page).go('Runs');
  await app.page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  const focused = () => app.page.evaluate(() => document.activeElement?.textContent ?? '');
  const tabTo = async (text: string): Promise<void> => {
    for (let presses = 0; presses < 100; presses += 1) {
      await app.page.keyboard.press('Tab');
      if ((await focused()) === text) return;
    }
    throw new Error(`Tab does not lead to "${text}"`);
  };
  await tabTo('Environment');
  await app.page.keyboard.press('Enter');
  await expect(app.page.getByRole('heading', { name: 'This machine' })).toBeVisible();
  const ring = await app.page.evaluate(() => {
    const element = document.activeElement;
    return element === null ? '' : getComputedStyle(element).outlineStyle;
  });
  expect(ring).toBe('solid');
  await tabTo('Runs');
  await app.page.keyboard.press('Enter');
  await tabTo('ResNet-50 v1.5');
  await app.page.keyboard.press('Enter');
  await expect(new RunPage(app.page).status).toHaveAttribute('data-status', 'interrupted');
});

test('a run that stopped at the accuracy gate: its error, the end of its log, and no empty chart', async () => {
  const error = {
    code: 'accuracy-below-threshold',
    message: 'top1: 0.1 is below the threshold 0.9',
  } as const;
  const [created, ...begun] = createdBodies();
  if (created?.type !== 'run-created') throw new Error('The fixture does not begin with run-created');
  const { runId, dir } = await placeRun(
    home,
    journalFixture([
      { ...created, runId: 'gate-run' },
      ...begun,
      { type: 'step-started', step: 'accuracy', attempt: 1, key: 'k' },
      accuracyBody({ passed: false, reasons: [error.message] }),
      { type: 'step-failed', step: 'accuracy', durationUs: 1_000_000, error },
      { type: 'run-finished', outcome: 'gate-failed', error },
    ]),
  );
  await mkdir(join(dir, 'steps', 'accuracy'), { recursive: true });
  await writeFile(join(dir, 'steps', 'accuracy', 'step.log'), 'Comparing outputs\n');
  await app.page.reload();
  await new Shell(app.page).go('Runs');
  await app.page.locator(`[data-run="${runId}"]`).click();
  const run = new RunPage(app.page);
  await expect(app.page.getByRole('region', { name: 'Last lines of the log' })).toHaveText(
    'Comparing outputs',
  );
  await expect(app.page.locator('[data-chart]')).toHaveCount(0);
  expect(await findings(app.page)).toEqual([]);
  await app.page.getByRole('button', { name: 'Open log' }).click();
  await expect(run.log).toContainText('Comparing outputs');
  expect(await findings(app.page)).toEqual([]);
});
