import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { languageModel } from '../support/language-model';
import { type OpenaiFrontend, startOpenaiFrontend } from '../support/openai-frontend';
import { startTestTriton, type TestTriton } from '../support/triton';
import { Shell } from './pages/shell.page';
import { choosePath, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { countClicks } from './support/clicks';
import { takePictures } from './support/pictures';

let home: TestHome;
let app: WorkbenchApp;
let triton: TestTriton;
let frontend: OpenaiFrontend;

test.beforeAll(async () => {
  triton = await startTestTriton(
    [
      { name: 'echo', execute: 'return values * 2', maxBatchSize: 4 },
      // So few requests in a window that its p99 is in doubt.
      { name: 'slow', execute: 'time.sleep(0.01); return values.copy()', maxBatchSize: 4 },
      languageModel,
    ],
    ['--model-control-mode=explicit', '--load-model=echo'],
  );
  frontend = await startOpenaiFrontend(triton.httpAddress);
  home = await createHome();
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
  await frontend.close();
  await triton.stop();
});

test('a running Triton is measured from the list of runs, in two clicks', async () => {
  const { page } = app;
  await new Shell(page).command('Runs');
  const clicks = await countClicks(page, 'a running Triton measured');
  await page.getByRole('button', { name: 'Measure a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  const address = dialog.getByLabel('Triton HTTP address');
  await expect(address).toBeFocused();
  const grpcPort = triton.grpcAddress.split(':').at(-1) ?? '';
  await address.fill(`http://${triton.httpAddress}?grpcPort=${grpcPort}`);
  await page.keyboard.press('Tab');
  await expect(dialog.getByText(/Triton 2\.\d+\.\d+ · 1 model ready/)).toBeVisible();
  // The only model is chosen.
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('echo');
  await dialog.getByRole('textbox', { name: 'Batch sizes' }).fill('8');
  await expect(dialog.getByText('8 exceeds the maximum batch size 4')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Batch sizes' }).fill('1, 4');
  await dialog.getByRole('textbox', { name: 'Concurrency' }).fill('1, 2');
  await dialog.getByRole('textbox', { name: 'Measurement window' }).fill('200');
  await dialog.getByRole('textbox', { name: 'p99 budget' }).fill('1000');
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'measure');
  await dialog.getByRole('button', { name: 'Measure', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^echo · at / })).toBeVisible();
  await expect(page.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await clicks.expectFew(2);
  await expect(page.getByLabel('Measured server')).toContainText('accuracy was not checked');
  await expect(page.getByText(/(a p99 of|within) 1,000 ms/).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Export PDF' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Keep serving|Change and continue)/ })).toHaveCount(0);
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'measured-server');
});

test('the run stands in the list, and can be measured again', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Measure again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('echo');
  await page.keyboard.press('Escape');
  await new Shell(page).command('Runs');
  await expect(page.getByRole('row').filter({ hasText: 'as served' })).toHaveCount(1);
});

test('an address where nothing answers says so', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Measure a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  await dialog.getByLabel('Triton HTTP address').fill('localhost:9');
  await dialog.getByRole('button', { name: 'Re-check' }).click();
  await expect(dialog.getByText(/No Triton at|ECONNREFUSED|refused/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Measure', exact: true })).toBeDisabled();
  await expect(dialog.getByText('No Triton responds at this address.')).toBeVisible();
  // Another address: Enter asks it.
  await dialog.getByLabel('Triton HTTP address').fill(triton.httpAddress);
  await expect(dialog.getByText('The address has changed. Check it first.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText(/1 model ready/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Measure', exact: true })).toBeEnabled();
});

test('a level that leaves the answer in doubt is measured again from the answer, longer', async () => {
  const { page } = app;
  await page.keyboard.press('Escape');
  await fetch(`http://${triton.httpAddress}/v2/repository/models/slow/load`, { method: 'POST', body: '{}' });
  await new Shell(page).command('Runs');
  await page.getByRole('button', { name: 'Measure a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  const grpcPort = triton.grpcAddress.split(':').at(-1) ?? '';
  await dialog.getByLabel('Triton HTTP address').fill(`http://${triton.httpAddress}?grpcPort=${grpcPort}`);
  await page.keyboard.press('Tab');
  await expect(dialog.getByText(/2 models ready/)).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: 'slow' }).click();
  // The larger batch is the answer, whatever the noise.
  await dialog.getByRole('textbox', { name: 'Batch sizes' }).fill('1, 4');
  await dialog.getByRole('textbox', { name: 'Concurrency' }).fill('1');
  await dialog.getByRole('textbox', { name: 'Measurement window' }).fill('200');
  await dialog.getByRole('button', { name: 'Measure', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^slow · at / })).toBeVisible();
  const answer = page.getByRole('status').filter({ hasText: 'inferences/s at p99' });
  const few = /p99 is based on only \d+ requests/;
  await expect(answer).toContainText(few, { timeout: 60_000 });
  const [before = ''] = few.exec(await answer.innerText()) ?? [];
  const again = answer.getByRole('button', { name: /^Measure \d levels? again, longer$/ });
  await expect(answer).toContainText(/s of measuring/);
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'measure-again');
  await again.focus();
  await page.keyboard.press('Enter');
  const measured = page.getByText(/measured again, windows \d+ times as long/).first();
  await expect(measured).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText('Done', { exact: true }).first()).toBeVisible();
  await expect(answer).toBeVisible();
  await expect(answer).not.toContainText(before);
});

test('a language model is measured behind a server of OpenAI’s protocol, with chosen prompts', async () => {
  const { page } = app;
  await fetch(`http://${triton.httpAddress}/v2/repository/models/lm/load`, { method: 'POST', body: '{}' });
  const prompts = join(home.path, 'prompts.jsonl');
  await writeFile(prompts, '{"text": "What is Triton?"}\n{"text": "What is a token?"}\n');
  await new Shell(page).command('Runs');
  await page.getByRole('button', { name: 'Measure a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  await dialog.getByLabel('Triton HTTP address').fill(frontend.address);
  await dialog.getByRole('radio', { name: 'OpenAI chat' }).check();
  await expect(dialog.getByText('OpenAI server · 1 model ready')).toBeVisible();
  await expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('lm');
  await expect(dialog.getByText('The endpoint "chat" needs prompts')).toBeVisible();
  await choosePath(app, prompts);
  await dialog.getByRole('button', { name: 'Choose prompts' }).click();
  await dialog.getByRole('textbox', { name: 'Output tokens' }).fill('3');
  await dialog.getByRole('textbox', { name: 'Concurrency' }).fill('2');
  await dialog.getByRole('textbox', { name: 'Measurement window' }).fill('300');
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'measure-tokens');
  await dialog.getByRole('button', { name: 'Measure', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^lm · at / })).toBeVisible();
  await expect(page.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('server usage').first()).toBeVisible();
  expect(frontend.asked.at(-1)).toMatchObject({ max_tokens: 3, ignore_eos: true, temperature: 0 });
});
