import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, type Locator, test } from '@playwright/test';
import { onnxBytes } from '../support/onnx-bytes';
import { NewDeploymentPage } from './pages/new-deployment.page';
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

let home: TestHome;
let app: WorkbenchApp;
let folder: string;

const tensor = (side: string, name: string, type: string, dims: string) =>
  `${side} [ { name: "${name}" data_type: ${type} dims: [ ${dims} ] } ]`;
const [x, y] = [tensor('input', 'x', 'TYPE_FP32', '3'), tensor('output', 'y', 'TYPE_FP32', '3')];
const raw = tensor('input', 'raw', 'TYPE_STRING', '1');
const net = `backend: "onnxruntime"\nmax_batch_size: 8 # tuned in March\n${x}\n${y}\ndynamic_batching { max_queue_delay_microseconds: 100 }\n`;

const files: Readonly<Record<string, string | Buffer>> = {
  'net/config.pbtxt': net,
  'net/1/model.onnx': onnxBytes({}),
  'halved/config.pbtxt': net.replace('TYPE_FP32', 'TYPE_FP16'),
  'halved/1/model.onnx': onnxBytes({}),
  'prepare/config.pbtxt': `backend: "python"\nmax_batch_size: 8\n${raw}\n${tensor('output', 'x', 'TYPE_FP32', '3')}\n`,
  'prepare/1/model.py': 'CALLED = "trees"\n',
  'trees/config.pbtxt': `backend: "fil"\nmax_batch_size: 8\n${x}\n${y}\n`,
  'trees/1/xgboost.json': '{}',
  'whole/config.pbtxt': `platform: "ensemble"
max_batch_size: 8
${raw}
${tensor('output', 'out', 'TYPE_FP32', '3')}
ensemble_scheduling { step [
  { model_name: "prepare" model_version: -1 input_map { key: "raw" value: "raw" } output_map { key: "x" value: "t" } },
  { model_name: "net" model_version: -1 input_map { key: "x" value: "t" } output_map { key: "y" value: "out" } }
] }
`,
  'whole/1/.keep': '',
};

test.beforeAll(async () => {
  home = await createHome();
  folder = join(home.path, 'models');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

const row = (name: string): Locator => app.page.locator(`[data-model="${name}"]`);
const choose = (name: string) => row(name).getByRole('button', { name, exact: true }).press('Enter');
const useIt = () => app.page.getByRole('button', { name: 'Use this model' });

test('a repository is chosen by keyboard, and its models are listed with what Triton would refuse', async () => {
  const { page } = app;
  await page.setViewportSize({ width: 1280, height: 800 });
  await new Shell(page).go('New deployment');
  const start = page.getByRole('region', { name: 'Triton repository' });
  await choosePath(app, folder);
  await start.getByRole('button', { name: 'Choose a repository…' }).press('Enter');
  await expect(page.locator('.page-body')).toHaveAttribute('data-page-type', 'list');
  await expect(page.locator('.answer')).toContainText('5 models: ');
  await expect(page.locator('.answer')).toContainText('1 does not load');
  await expect(row('whole')).toContainText('prepare, net');
  await expect(row('net')).toContainText('ONNX Runtime in Triton’s Python backend');
  await expect(row('trees')).toContainText('nvcr.io/nvidia/tritonserver:');
  await expect(row('halved')).toContainText('Does not load, 1 problem');
  expect(await findings(page)).toEqual([]);

  await choose('halved');
  const tensors = page.getByRole('region', { name: 'Tensors of halved' });
  await expect(tensors.locator('[data-result="differs"]')).toContainText('TYPE_FP16 [3]');
  await expect(tensors.locator('[data-result="fits"]')).toHaveCount(1);
  await expect(page.getByRole('list', { name: 'Problems of halved' })).toContainText('Triton: ');
  await expect(page.locator('.config-changes ins')).toContainText('TYPE_FP32');
  await expect(useIt()).toBeDisabled();
  for (const region of await page.getByRole('region', { name: /^(Models|Tensors) of / }).all()) {
    expect(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
  await takePictures(page, 'repository');
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a model of it becomes a draft with the values of its file, and a changed field shows the difference', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  await choose('net');
  await useIt().press('Enter');
  const own = page.getByRole('status').filter({ hasText: 'Model of a Triton repository, as it is' });
  await expect(own).toContainText(join(folder, 'net'));
  await form.show('Simple');
  await expect(form.text('Maximum batch size')).toHaveValue('8');
  await expect(page.locator('[data-field="configure.maxQueueDelayUs"] input')).toHaveValue('100 µs');
  await expect(page.getByText('config.pbtxt is served as it is, byte for byte.')).toBeVisible();
  await expect(form.start).toBeEnabled();
  await form.set('configure.instances', '2');
  const difference = page.getByRole('region', { name: 'Difference of config.pbtxt' });
  await expect(difference.locator('ins').first()).toBeVisible();
  await expect(difference.locator('del')).toHaveCount(0);
  await expect(difference).toContainText('count: 2');
  await expect(form.start).toBeEnabled();
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'repository-form');
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.show('All settings');
  await form.open('Configure');
  await expect(page.getByRole('region', { name: 'config.pbtxt', exact: true })).toContainText(
    '# tuned in March',
  );
  expect(await findings(page)).toEqual([]);
  await form.open('Accuracy');
  await expect(page.locator('[data-field="accuracy.golden"] input')).toHaveAttribute(
    'placeholder',
    'none: outputs are not checked',
  );
  await form.show('Simple');
});

test('code is trusted by its hash in the dialog of the desktop, together with the models that it calls', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Models of this repository' }).press('Enter');
  await choose('prepare');
  await expect(page.getByText('model.py names trees.')).toBeVisible();
  const asks = page.getByRole('group', { name: 'Trust this code' });
  await useIt().press('Enter');
  await expect(asks).toContainText('prepare/1/model.py');
  await expect(asks).not.toContainText('trees/');
  await page.getByRole('button', { name: 'Add trees' }).press('Enter');
  // Other files are in question now.
  await expect(asks).toBeHidden();
  await useIt().press('Enter');
  await expect(asks).toContainText('trees/1/xgboost.json');
  expect(await findings(page)).toEqual([]);
  const refused = await answerConsent(app, 'cancel');
  await asks.getByRole('button', { name: 'Trust and use' }).press('Enter');
  await expect(page.getByRole('alert')).toContainText('You did not agree');
  expect((await refused.said()).join()).toMatch(/model\.py[^]*SHA-256 [0-9a-f]{64}/);
  await answerConsent(app, 'agree');
  await asks.getByRole('button', { name: 'Trust and use' }).press('Enter');
  await expect(page.getByText('Served with it: trees.')).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('a folder without models says so, and another one is chosen', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Models of this repository' }).press('Enter');
  const empty = join(home.path, 'empty');
  await mkdir(empty);
  await choosePath(app, empty);
  await page.getByRole('button', { name: 'Choose another repository…' }).press('Enter');
  await expect(page.getByRole('alert')).toContainText('holds no model');
  await expect(page.getByRole('button', { name: 'Check again' })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await choosePath(app, folder);
  await page.getByRole('button', { name: 'Choose another repository…' }).press('Enter');
  await expect(row('whole')).toBeVisible();
  await expect(page.getByRole('alert')).toBeHidden();
  expect(app.complaints).toEqual([]);
});
