import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { JointStrategy } from '../../main/contract/study/joint';
import type { Candidate, Look, Searched, SearchStrategy } from '../../main/contract/study/search';
import { createRandom } from '../../main/domain/random';
import { type DueLook, nextLooks } from '../../main/domain/study/search/next-looks';
import { nextJointLooks } from '../../main/studies/strategies/joint';
import { StudyStore } from '../../main/studies/study-store';
import { completeBodies, journalFixture } from '../support/run-state';
import { joint, measureJoint } from '../support/simulated-joint';
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
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;

const present: Candidate = {
  ...{ instances: 1, maxBatchSize: 16, batching: 'dynamic', preferredBatchSizes: [8, 16] },
  ...{ maxQueueDelayUs: 100, threads: 2 },
};
const candidates = [1, 2, 4].flatMap((instances) =>
  [2, 1].flatMap((threads) =>
    [100, 0, 2000].map((maxQueueDelayUs) => ({ ...present, instances, threads, maxQueueDelayUs })),
  ),
);

/** A machine of four processors: what a candidate gives at most, and how its latency grows towards that. */
function simulated(search: SearchStrategy, { candidate, phase, load, ms }: DueLook, turn: number): Look {
  const { instances, threads, maxQueueDelayUs } = search.candidates[candidate - 1] ?? present;
  const most = 420 * Math.min(1, (instances * threads) / 4) ** 0.8 * (instances * threads > 4 ? 0.86 : 1);
  const noise = 1 + 0.02 * Math.sin(7 * turn + candidate);
  const rate = 'requestRate' in load ? Math.min(load.requestRate, most * noise) : most * noise;
  const busy = Math.min(0.995, rate / (most * 1.02));
  return {
    ...{
      candidate,
      phase,
      load,
      seconds: ms / 1000,
      inferencesPerSecond: rate,
      requestCount: 500,
      errorCount: 0,
    },
    latencyUs: 5200 * noise + maxQueueDelayUs + 2400 / (1 - busy),
    ...{ meanServerBatch: 3, serverQueueUs: 900 },
  };
}

const searchOf = (runId: string, budgetS: number): SearchStrategy => ({
  ...{ kind: 'search', runId, candidates, budgetS, lookMs: 1500, fullMs: 3000 },
  load: { kind: 'open', batchSize: 1 },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
});

type Searching = SearchStrategy | JointStrategy;

/** A search as a process leaves it, of which all is real but the machine. */
async function placeStudy<Of extends Searching>(
  name: string,
  search: Of,
  {
    next,
    measure,
    refused = [],
  }: {
    readonly next: (search: Of, searched: Searched) => readonly DueLook[];
    readonly measure: (search: Of, due: DueLook, turn: number) => Look;
    readonly refused?: readonly number[];
  },
): Promise<void> {
  const studies = new StudyStore(join(home.path, 'studies'));
  const strategy: Searching = search;
  const spec = { name, strategy: { ...strategy, trials: [] }, hosts: null };
  await studies.append(name, { type: 'study-planned', spec });
  await studies.append(name, { type: 'study-started', pid: 1 });
  let searched: Searched = { looks: [], failed: {} };
  for (const candidate of refused) {
    const error = { code: 'model-load-failed' as const, message: 'Out of memory: 2.1 GiB asked for' };
    searched = { ...searched, failed: { ...searched.failed, [candidate]: error } };
    await studies.append(name, { type: 'candidate-failed', candidate, error });
  }
  for (let due = next(search, searched); due.length > 0; due = next(search, searched)) {
    for (const one of due) {
      const look = measure(search, one, searched.looks.length);
      searched = { ...searched, looks: [...searched.looks, look] };
      await studies.append(name, { type: 'look', look });
    }
  }
  await studies.append(name, { type: 'study-ended', outcome: 'done' });
}

const placeSearch = (name: string, search: SearchStrategy, refused: readonly number[] = []): Promise<void> =>
  placeStudy(name, search, { next: nextLooks, measure: simulated, refused });

const whole = <Of extends { readonly requestCount: number }>(look: Of): Of => ({
  ...look,
  requestCount: Math.round(look.requestCount),
});

/** Two models that share a machine: the first needs more instances, the second has one too many. */
async function placeTogether(name: string, runIds: readonly string[]): Promise<void> {
  const titles = ['ranking', 'captions'];
  const models = joint.models.map((model, at) => ({
    ...model,
    ...{ title: titles[at] ?? '', runId: runIds[at] ?? '' },
  }));
  const random = createRandom(1);
  const measure = (search: JointStrategy, due: DueLook): Look => {
    const look = measureJoint(search, due, random, 0.02);
    return { ...whole(look), beside: look.beside?.map(whole) };
  };
  await placeStudy(name, { ...joint, models }, { next: nextJointLooks, measure });
}

test.beforeAll(async () => {
  home = await createHome();
  const entries = journalFixture([
    ...completeBodies().filter(({ type }) => type !== 'run-finished'),
    { type: 'run-finished', outcome: 'done' },
  ]);
  const tensor = (name: string, ...dims: number[]) => ({ name, datatype: 'FP32', shape: [-1, ...dims] });
  const artefact = {
    ...{ path: 'model.onnx', bytes: 1 },
    ...{ inputs: [tensor('input', 3, 224, 224)], outputs: [tensor('output', 10)] },
  };
  const runIds: string[] = [];
  for (const name of ['a-run', 'another-run']) {
    const { dir, runId: placed } = await placeRun(
      home,
      entries.map((entry) => (entry.type === 'run-created' ? { ...entry, runId: name } : entry)),
    );
    await mkdir(join(dir, 'steps', 'convert'), { recursive: true });
    await writeFile(join(dir, 'steps', 'convert', 'output.json'), JSON.stringify(artefact));
    runIds.push(placed);
  }
  const [runId = ''] = runIds;
  await placeTogether('shared', runIds);
  await placeSearch('short', searchOf(runId, 75), [18]);
  await placeSearch('best-of-all', searchOf(runId, 300));
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

test('the page of a search has the answer first, and scrolls in one direction', async () => {
  const { page } = app;
  await new Shell(page).go('Studies');
  const search = page.getByRole('region', { name: 'best-of-all', exact: true });
  await expect(search.getByRole('status')).toContainText('× the present configuration (');
  await expect(search.locator('.config-changes ins').first()).toBeVisible();
  for (const name of ['Throughput and latency of each load', 'What helped', 'What was not tried']) {
    await expect(search.getByRole('region', { name })).toBeVisible();
  }
  await expect(search).toContainText('The star is the rate that may be promised');
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const name of ['Studies', 'Configurations of best-of-all', 'Changes of config.pbtxt']) {
    for (const region of await page.getByRole('region', { name, exact: true }).all()) {
      expect(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), name).toBe(
        0,
      );
    }
  }
  await takePictures(page, 'search');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    expect(await findings(page)).toEqual([]);
  }
});

test('the report of a search has the title and the customer that are typed in its dialog', async () => {
  const { page } = app;
  const search = page.getByRole('region', { name: 'best-of-all', exact: true });
  await search.getByRole('button', { name: 'Export', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Title, customer and contents…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Title, customer and contents of the report' });
  await dialog.getByLabel('Title', { exact: true }).fill('For hall 4');
  await dialog.getByLabel('Customer').fill('ACME Works');
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Keep' }).press('Enter');
  await expect(dialog).toBeHidden();
  const saved = join(home.path, 'search.html');
  await saveTo(app, saved);
  await search.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: 'HTML report' }).click();
  await expect(page.getByText(saved)).toBeVisible();
  const text = await readFile(saved, 'utf8');
  expect(text).toContain('<h1>For hall 4</h1>');
  expect(text).toContain('Prepared for ACME Works');
});

test('one whose budget ended says what was not measured, and what failed', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'short', exact: true }).click();
  const search = page.getByRole('region', { name: 'short', exact: true });
  const untried = search.getByRole('region', { name: 'What was not tried' });
  await expect(untried).toContainText('Not varied: ');
  await expect(untried).toContainText('(Out of memory: 2.1 GiB asked for)');
  await untried.getByRole('button', { name: 'Search longer…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Find the best configuration' });
  await expect(dialog.getByLabel('Maximum time under load (minutes)')).toHaveValue('2.5');
  await expect(dialog.getByLabel('Largest p99 (ms)')).toHaveValue('20');
  await dialog.getByText('Values to try').click();
  await expect(dialog.getByLabel('Model instances')).toHaveValue('1, 2, 4');
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  const rows = search.locator('[data-candidate]');
  await expect(rows).toHaveCount(candidates.length);
  await search.getByRole('button', { name: 'No.', exact: true }).press('Enter');
  await expect(rows.first()).toHaveAttribute('data-candidate', String(candidates.length));
  expect(app.complaints).toEqual([]);
});

test('the page of several models has the answer first, and each of them to take', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'shared', exact: true }).press('Enter');
  const search = page.getByRole('region', { name: 'shared', exact: true });
  await expect(search.getByRole('status')).toContainText('× the given rates (');
  await expect(search.getByRole('status')).toContainText('limits');
  const ranking = search.getByRole('group', { name: 'Best configuration of ranking' });
  for (const name of ['Run it', 'Deploy', 'Bundle…', 'config.pbtxt…']) {
    await expect(ranking.getByRole('button', { name, exact: true })).toBeVisible();
  }
  await expect(search.getByRole('region', { name: 'Changes of config.pbtxt: ranking' })).toContainText(
    '+   count:',
  );
  await expect(
    search.getByRole('region', { name: 'Latency of each model by the load of all' }),
  ).toBeVisible();
  for (const name of ['Models of shared', 'Tries of shared']) {
    const table = search.getByRole('region', { name, exact: true });
    expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), name).toBe(0);
  }
  await takePictures(page, 'search-together');
  expect(await findings(page)).toEqual([]);
  const saved = join(home.path, 'shared.md');
  await saveTo(app, saved);
  await search.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Markdown' }).click();
  await expect(page.getByText(saved)).toBeVisible();
  expect(await readFile(saved, 'utf8')).toContain('Changes of config.pbtxt: ranking');
  expect(app.complaints).toEqual([]);
});

test('several models are searched from the list of studies, with a rate and a target each', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'Search several models…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Find the best configurations of several models' });
  const models = dialog.getByRole('combobox', { name: 'Models' });
  await models.focus();
  for (const chosen of [1, 2]) {
    await models.press('ArrowDown');
    await models.press('Enter');
    await expect(dialog.getByRole('group')).toHaveCount(chosen);
  }
  await models.press('Escape');
  const rates = dialog.getByLabel('Rate (inferences/s)');
  await expect(rates).toHaveCount(2);
  await expect(dialog.getByText('Enter the rate of each model.')).toBeVisible();
  await rates.first().fill('100');
  await dialog.getByLabel('Largest p99 (ms)').first().fill('20');
  expect(await findings(page)).toEqual([]);
  await rates.last().fill('50');
  // Of runs without their files nothing is planned.
  await expect(dialog.locator('[role="alert"][data-code]')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Start search' })).toBeHidden();
  await takePictures(page, 'search-together-start');
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(dialog).toBeHidden();
});

test('a search takes a recorded trace, whose file is chosen by keyboard', async () => {
  const { page } = app;
  await page.getByRole('button', { name: 'short', exact: true }).click();
  await page.getByRole('button', { name: 'Open the run whose model it is' }).click();
  await page.getByRole('button', { name: 'Find the best configuration' }).click();
  const dialog = page.getByRole('dialog', { name: 'Find the best configuration' });
  const trace = dialog.getByRole('textbox', { name: 'Replayed trace' });
  await expect(trace).toHaveAttribute('placeholder', 'none: requests arrive as a Poisson process');
  await choosePath(app, '/tmp/july.csv');
  await dialog.getByRole('button', { name: 'Choose replayed trace' }).press('Enter');
  await expect(trace).toHaveValue('/tmp/july.csv');
  await expect(dialog.getByRole('textbox', { name: 'Replay from (s)' })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await dialog.getByText('Highest concurrency').click();
  await expect(trace).toBeHidden();
});

test('a search on a running Triton has an address that is checked by keyboard, and waits for it', async () => {
  const { page } = app;
  const dialog = page.getByRole('dialog', { name: 'Find the best configuration' });
  await dialog.getByRole('combobox', { name: 'Where to measure' }).selectOption('Running Triton');
  const address = dialog.getByRole('textbox', { name: 'Triton HTTP address' });
  await expect(address).toHaveAccessibleDescription('Not checked yet: press Enter or Check.');
  await expect(dialog.getByRole('button', { name: 'Start search' })).toBeHidden();
  expect(await findings(page)).toEqual([]);
  await address.fill('localhost:1');
  await address.press('Enter');
  await expect(dialog.getByText('Not checked yet')).toBeHidden();
  expect(app.complaints).toEqual([]);
});
