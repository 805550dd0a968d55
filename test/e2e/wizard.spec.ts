import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { until } from '../support/until';
import { forecastMatrix } from '../unit/specification/published';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import { Shell } from './pages/shell.page';
import {
  choosePath,
  createHome,
  launch,
  saveTo,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from './support/app';
import { findings } from './support/axe';

/** Waits until what was typed is on disk. */
async function draftHolds(text: string): Promise<void> {
  const folder = join(home.path, 'drafts');
  await until(`a draft holds ${text}`, async () => {
    const names = await readdir(folder).catch(() => []);
    // One that is being written is not there yet: the window may be killed before it is.
    const whole = names.filter((name) => name.endsWith('.json'));
    const texts = whole.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
    return (await Promise.all(texts)).some((draft) => draft.includes(text));
  });
}

let home: TestHome;
let app: WorkbenchApp;

test.beforeEach(async () => {
  home = await createHome();
  app = await launch(home);
  await new NewDeploymentPage(app.page).begin();
});
test.afterEach(async () => {
  await shutDown(app);
  await home.remove();
});

test('decimals are typed key by key, and a section stays open while it is written in', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Performance');
  const field = app.page.locator('[data-field="performance.stabilityPercentage"]');
  const section = app.page.locator('details', { has: field });
  const input = field.locator('input');
  if ((await section.count()) > 0 && !(await input.isVisible())) await section.locator('summary').click();
  for (const typed of ['2.5', '0.75', '12.05']) {
    await input.selectText();
    await input.pressSequentially(typed);
    await input.blur();
    await expect(input).toHaveValue(typed);
    await draftHolds(`"stabilityPercentage":${typed}`);
  }

  await form.open('Review & run');
  const deadlines = app.page.locator('details', { hasText: 'Deadlines' });
  await deadlines.locator('summary').click();
  const deadline = deadlines.locator('input').first();
  await deadline.selectText();
  await deadline.pressSequentially('77');
  await expect(deadlines.locator('summary')).toContainText('1 changed');
  await deadline.press('Backspace');
  await deadline.press('Backspace');
  await expect(deadlines.locator('summary')).toContainText('defaults');
  await expect(deadline).toBeFocused();
});

test('form and config.pbtxt say the same, whichever is written in', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Configure');
  await expect.poll(() => form.configText(app)).toMatch(/max_batch_size: 8\n/);
  await form.text('Maximum batch size').fill('16');
  await expect.poll(() => form.configText(app)).toMatch(/max_batch_size: 16\n/);

  const text = await form.configText(app);
  await form.config.fill(text.replace('max_batch_size: 16', 'max_batch_size: 32'));
  await expect(form.text('Maximum batch size')).toHaveValue('32');

  // A field that the form does not have is kept as edited by hand, and marked.
  await form.config.fill(`${await form.configText(app)}\nresponse_cache { enable: true }\n`);
  await form.text('Maximum batch size').focus();
  await expect.poll(() => form.configText(app)).toMatch(/response_cache/);
  await expect(app.page.getByText(/lines? differs? from the generated text/)).toBeVisible();

  // What cannot be read is said with its line, and keeps the run back.
  await form.config.fill('max_batch_sise: 8');
  await expect(app.page.getByRole('alert').filter({ hasText: 'max_batch_sise' })).toBeVisible();
  await expect(form.start).toBeDisabled();
  await app.page.getByRole('button', { name: 'Discard text' }).click();
  await expect(form.start).toBeEnabled();

  // The fields of Triton's ModelConfig are offered, and Tab leaves the editor.
  await form.config.press('Control+End');
  await app.page.keyboard.type('\nmodel_war');
  await app.page.getByRole('option', { name: /^model_warmup/ }).click();
  await expect(form.config).toContainText('model_warmup {');
  expect(await findings(app.page)).toEqual([]);
  await app.page.keyboard.press('Tab');
  await expect(form.config).not.toBeFocused();
  expect(app.complaints).toEqual([]);
});

test('a checkpoint is picked as a file or, of TensorFlow, as a folder, and config.pbtxt says whose sizes it shows', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  await form.open('Model');
  const checkpoint = page.locator('[data-field="model.checkpoint"]');
  const note = page.getByRole('note').filter({ hasText: 'reads the sizes from the checkpoint' });
  await expect(checkpoint.getByRole('button', { name: /folder/ })).toHaveCount(0);
  await expect(checkpoint.getByRole('button', { name: 'Choose checkpoint' })).toBeVisible();
  await form.set('model.preset', 'wide-and-deep');
  await choosePath(app, home.path);
  await checkpoint.getByRole('button', { name: 'Choose checkpoint: folder' }).click();
  await expect(form.text('Checkpoint')).toHaveValue(home.path);
  await form.open('Configure');
  await expect(note).toBeVisible();
  await form.open('Model');
  await form.set('model.checkpoint', '');
  await form.open('Configure');
  await expect(form.heading('Configure')).toBeVisible();
  await expect(note).toHaveCount(0);
});

test('what cannot work is said where it is chosen', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Configure');
  await expect(form.option('Accelerator', 'TensorRT')).toHaveCount(0);
  await expect(app.page.locator('[data-field="configure.backendAccelerator"]')).toContainText(
    /Other \(\d\): .*TensorRT.*Needs a GPU/,
  );
  await form.text('Maximum batch size').fill('4');
  await expect(app.page.getByText('8 exceeds the maximum batch size 4')).toBeVisible();
  await expect(form.step('Configure')).toHaveAttribute('data-state', 'problem');
  await expect(form.start).toBeDisabled();
  await form.reset('Maximum batch size').click();
  await expect(form.start).toBeEnabled();
});

test('the draft is there again after the window was killed', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Performance');
  await form.text('Offline batch sizes').fill('1, many');
  await draftHolds('1, many');
  const ended = once(app.child, 'exit');
  app.child.kill('SIGKILL');
  await ended;

  app = await launch(home);
  await new Shell(app.page).go('New deployment');
  const again = new NewDeploymentPage(app.page);
  await again.continueDraft.click();
  // A window that was killed may not have kept how the form was shown.
  await again.show('All settings');
  await expect(again.heading('Performance')).toBeVisible();
  await expect(again.text('Offline batch sizes')).toHaveValue('1, many');
  await expect(app.page.getByText('“many” is not a whole number of at least 1')).toBeVisible();

  await again.startOver.click();
  await again.open('Performance');
  await expect(again.text('Offline batch sizes')).toHaveValue('1, 2, 4');
  await again.undo.click();
  await again.open('Performance');
  await expect(again.text('Offline batch sizes')).toHaveValue('1, many');
});

test('a draft that was started is not opened again, and its run is run again with FP16 in four clicks', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Performance');
  await form.set('performance.batchSizes', '1');
  await form.set('performance.concurrency', '1');
  await expect(form.start).toBeEnabled();
  await form.start.click();
  const run = new RunPage(app.page);
  await expect(run.status).toHaveAttribute('data-status', 'running');
  await run.button('Cancel run').click();
  await expect(run.status).toHaveAttribute('data-status', 'cancelled');

  await new Shell(app.page).go('New deployment');
  await expect(form.preset('ResNet-50 v1.5')).toBeVisible();
  await expect(form.continueDraft).toHaveCount(0);
  await form.preset('ResNet-50 v1.5').click();
  await expect(form.state).toHaveText('All defaults');

  await new Shell(app.page).go('Runs');
  await app.page.locator('[data-run]').click();
  await run.button('Run again with changes').click();
  await form.step('Export & convert').click();
  await form.choose('Precision', 'FP16');
  await expect(form.changed('precision')).toBeVisible();
  await form.open('Accuracy');
  await expect(form.changed('accuracy.atol.*')).toBeHidden();
  expect(await findings(app.page)).toEqual([]);
  await form.start.click();
  await expect(run.status).toHaveAttribute('data-status', 'running');
});

test('the simple page shows what was changed elsewhere, and a draft that was laid aside comes back', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  const changed = (path: string) => form.summary.locator(`[data-change="${path}"]`);
  await form.open('Accuracy');
  await form.set('accuracy.samples', '12');
  await form.show('Simple');
  await expect(changed('accuracy.samples')).toContainText('12');

  // Lists that nobody chose follow the maximum, digit by digit.
  await form.text('Maximum batch size').fill('2');
  await expect(changed('performance.batchSizes')).toContainText('1, 2, 4 → 1, 2');
  await expect(changed('configure.preferredBatchSizes')).toContainText('4, 8 → any');
  await expect(form.start).toBeEnabled();
  await form.text('Maximum batch size').fill('16');
  await expect(form.summary.locator('[data-change]')).toHaveCount(2);
  await changed('configure.maxBatchSize').getByRole('button').last().click();
  await expect(form.text('Maximum batch size')).toHaveValue('8');
  await form.choose('Measuring', 'Short');
  await expect(changed('performance.measurementIntervalMs')).toContainText('500');

  await new Shell(page).go('New deployment');
  await expect(page.getByRole('region', { name: 'Unfinished draft' })).toContainText('3 changes');
  await form.preset('Wide & Deep').click();
  await expect(form.summary.locator('[data-change]')).toHaveCount(0);
  await form.choose('Measuring', 'Short');
  await page.getByRole('button', { name: 'Back to the previous draft' }).click();
  await expect(changed('accuracy.samples')).toContainText('12');
  // The one that was begun meanwhile is not lost either.
  await new Shell(page).go('New deployment');
  await expect(page.getByRole('region', { name: 'Recent' })).toContainText('Wide & Deep');
  expect(app.complaints).toEqual([]);
});

test('the choice is exported as run.yaml', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Performance');
  await form.text('Offline batch sizes').fill('1, 2');
  const path = join(home.path, 'exported-run.yaml');
  await saveTo(app, path);
  await form.exportAs('run.yaml, for the command line');
  await expect(app.page.getByRole('alert').filter({ hasText: path })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  const exported = parse(await readFile(path, 'utf8')) as { performance: { batchSizes: number[] } };
  expect(exported.performance.batchSizes).toEqual([1, 2]);
});

test('sequences are chosen where config.pbtxt makes the model stateful', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Performance');
  expect(await form.fields()).not.toContain('performance.sequences.length');
  await form.set('performance.batchSizes', '1');
  await form.open('Configure');
  const text = await form.configText(app);
  await form.config.fill(text.replace(/dynamic_batching \{[^}]*\}/, 'sequence_batching { }'));
  await form.open('Performance');
  await expect(form.start).toBeEnabled();
  await form.set('performance.sequences.length', '7');
  await expect(form.changed('performance.sequences.length')).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  const path = join(home.path, 'stateful-run.yaml');
  await saveTo(app, path);
  await form.exportAs('run.yaml, for the command line');
  await expect(app.page.getByRole('alert').filter({ hasText: path })).toBeVisible();
  const exported = parse(await readFile(path, 'utf8')) as { performance: { sequences: unknown } };
  expect(exported.performance.sequences).toMatchObject({ length: 7, lengthVariation: 20, firstId: 1 });
});

test('the whole way by keyboard alone', async () => {
  const form = new NewDeploymentPage(app.page);
  const { keyboard } = app.page;
  await expect(form.start).toBeEnabled();
  for (const [digit, name] of [
    ['2', 'Model'],
    ['6', 'Performance'],
  ] as const) {
    await keyboard.press(`Alt+${digit}`);
    await expect(form.heading(name)).toBeFocused();
  }
  await form.text('Maximum windows').focus();
  await keyboard.press('Enter');
  await expect(form.heading('Performance')).toBeVisible();
  await form.plan.getByRole('tab', { name: 'Help' }).press('Enter');
  await expect(form.plan).toContainText('Alt+1');
  await keyboard.press('Control+Enter');
  await expect(new RunPage(app.page).status).toHaveAttribute('data-status', 'running');
});

test('where published data comes from is told beside its fields, step by step where it must be', async () => {
  const form = new NewDeploymentPage(app.page);
  await form.open('Model');
  const panel = app.page.getByRole('region', { name: 'Published data and weights' });
  await expect(panel).toContainText('ImageNet ILSVRC2012');
  await expect(panel).toContainText('6.3 GiB; license: ImageNet');
  await expect(panel.getByRole('button', { name: 'Download: ResNet-50' })).toBeVisible();
  // By keyboard alone.
  await panel.locator('summary').focus();
  await app.page.keyboard.press('Enter');
  await expect(panel.getByText('Make an account at image-net.org')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Copy the text of step 1' })).toBeVisible();
  expect(await findings(app.page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test('of a runner configuration the first is imported, and the notice offers the others', async () => {
  const file = join(home.path, 'config_NVIDIA-A30.yaml');
  await writeFile(file, forecastMatrix());
  await choosePath(app, file);
  await app.page.getByRole('button', { name: 'Open configuration…', exact: true }).click();
  const others = app.page.getByLabel('Configuration', { exact: true });
  await expect(others).toHaveValue('1');
  await expect(app.page.getByText('The file has 4 configurations')).toBeVisible();
  await draftHolds('"format":"trt"');
  await others.selectOption('3. electricity_bin, ts-trace');
  await expect(others).toHaveValue('3');
  await draftHolds('"format":"ts-trace"');
  await new NewDeploymentPage(app.page).undo.click();
  await expect(others).toHaveCount(0);
});
