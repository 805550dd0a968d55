import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import type { StudyEntry } from '../../main/contract/study/study';
import { createRandom } from '../../main/domain/random';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { Shell } from '../e2e/pages/shell.page';
import {
  choosePath,
  createHome,
  launch,
  shutDown,
  type TestHome,
  type WorkbenchApp,
} from '../e2e/support/app';
import { campaignSeed, printRow } from '../support/campaign';
import { leftProcesses } from '../support/left-processes';
import { littleQueueDelayUs } from '../support/little-model';

/** Six whole runs on Triton, with a window that is killed between and within them. */
test.setTimeout(1_500_000);

const random = createRandom(campaignSeed);
const name = 'six';
const trials = 6;
const levels = 4;

/** What the page says of the run in progress before the window is killed, up to two seconds later. */
const moments: readonly RegExp[] = [
  /^Run 1 of 6: /,
  /^Run 2 of 6: level /,
  /^Run [3-6] of 6: /,
  /^Run [4-6] of 6: level /,
];

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

const panel = () => app.page.getByRole('region', { name });
const state = () => panel().locator('[data-study-state]');

/** With all that its process group has: nothing of it is told that it ends. */
async function kill({ child }: WorkbenchApp): Promise<void> {
  const ended = once(child, 'exit');
  process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  await ended;
}

const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

/** Every run that the study's journal has of a trial, by number. */
async function runsOfTrials(): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const runs = new Map<number, Set<string>>();
  for (const line of await linesOf(join(homeLayout(home.path).studies, name, 'journal.jsonl'))) {
    const entry = JSON.parse(line) as StudyEntry;
    if (entry.type !== 'trial-run') continue;
    runs.set(entry.number, (runs.get(entry.number) ?? new Set()).add(entry.runId));
  }
  return runs;
}

/** Of each run of the home: the keys of its levels as often as they were measured, and whether it is done. */
async function measuredRuns() {
  const { runs } = homeLayout(home.path);
  return Promise.all(
    (await readdir(runs)).map(async (runId) => {
      const { entries } = await readJournal(runFolder(join(runs, runId)).journal);
      const keys = entries.flatMap((entry) => (entry.type === 'measurement' ? [entry.key] : []));
      const ends = entries.flatMap((entry) => (entry.type === 'run-finished' ? [entry.outcome] : []));
      return { keys, isDone: ends.at(-1) === 'done' };
    }),
  );
}

async function startStudy(): Promise<void> {
  const file = join(home.path, `${name}.yaml`);
  await writeFile(
    file,
    stringify({
      name,
      preset: 'resnet50',
      // One export for all: the cache has it for the runs behind the first one.
      matrix: {
        'performance.measurementIntervalMs': [200, 210, 220],
        'performance.stabilityPercentage': [999, 1000],
      },
      profile: 'quick',
      model: { args: { train_images: '20', val_images: '4', train_epochs: '1' } },
      accuracy: { thresholds: { top1: 0 } },
      configure: { maxQueueDelayUs: Number(littleQueueDelayUs) },
      performance: { batchSizes: [1, 2], concurrency: [1, 2], maxTrials: 3, warmupMs: 100 },
    }),
  );
  await new Shell(app.page).go('Studies');
  await choosePath(app, file);
  await app.page.getByRole('button', { name: 'Start from a file…' }).click();
  await app.page.getByRole('dialog', { name: 'Start study' }).getByLabel('Name').press('Enter');
}

test('a study of six whose window is killed again and again has each run and each level once', async () => {
  await startStudy();
  for (const moment of moments) {
    await expect(state()).toHaveText('Running');
    await expect(panel().getByText(moment).first()).toBeVisible({ timeout: 600_000 });
    await sleep(random() * 2000);
    await kill(app);
    app = await launch(home);
    await new Shell(app.page).go('Studies');
    await expect(state()).toHaveText('Interrupted');
    await panel()
      .getByRole('button', { name: `Resume ${name}` })
      .click();
  }
  await expect(state()).toHaveText('Done', { timeout: 900_000 });
  await shutDown(app);
  const left = await leftProcesses(home.path);
  const runs = await measuredRuns();
  const ofTrials = await runsOfTrials();
  const doubledLevels = runs.reduce((sum, { keys }) => sum + keys.length - new Set(keys).size, 0);
  const doubledRuns = [...ofTrials.values()].reduce((sum, ids) => sum + ids.size - 1, 0);
  const lost = trials - runs.filter(({ keys, isDone }) => isDone && new Set(keys).size === levels).length;
  await printRow({
    what: `kill -9 of the window and its process group while it works on a study of ${trials} runs, then Resume`,
    trials: moments.length,
    result: `${lost} runs lost, ${doubledRuns} runs and ${doubledLevels} levels duplicated, ${left.length} processes left behind`,
  });
  expect({ runs: runs.length, lost, doubledRuns, doubledLevels, left }).toEqual({
    ...{ runs: trials, lost: 0, doubledRuns: 0, doubledLevels: 0, left: [] },
  });
  expect([...ofTrials.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6]);
});
