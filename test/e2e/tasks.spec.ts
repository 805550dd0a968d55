import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { cli } from '../support/cli';
import { onnxBytes } from '../support/onnx-bytes';
import {
  createdBodies,
  journalFixture,
  measurementBody,
  pointFixture,
  specFixture,
} from '../support/run-state';
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
import { type Hands, KeyboardHands, MouseHands } from './support/hands';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

/** Clicks and keys that each task may take, from the page that is open to its end; what is typed counts too. */
const limits = {
  // Tab passes every entry of the rail first.
  'first demo': { mouse: 1, keyboard: 18 },
  'own ONNX': { mouse: 3, keyboard: 7 },
  'best level under 20 ms': { mouse: 5, keyboard: 14 },
  // Where an engine cannot be used, Tab stops once more, at the way to the Environment page.
  'the same run with fp16': { mouse: 3, keyboard: 19 },
  'report to a colleague': { mouse: 2, keyboard: 11 },
} as const;
type Task = keyof typeof limits;

const measuredId = '20251121-081700-resnet50-onnx-fp16-a1b2c3';

/** A run with three levels and its reports. */
async function placeMeasured(home: TestHome): Promise<void> {
  const [created, ...rest] = createdBodies(specFixture());
  if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
  await placeRun(
    home,
    journalFixture([
      { ...created, runId: measuredId },
      ...rest,
      ...[12_000, 18_000, 31_000].map((p99Us, at) =>
        measurementBody(
          'online',
          pointFixture({ concurrency: 2 ** at, p99Us, inferencesPerSecond: 900 * (at + 1) }),
        ),
      ),
      { type: 'run-finished', outcome: 'done' },
    ]),
  );
  for (const words of [
    ['rename', measuredId, 'For hall 4'],
    ['report', measuredId],
  ]) {
    const done = await cli(home.path, ...words);
    expect(done.code, done.stderr).toBe(0);
  }
}

for (const [way, makeHands] of [
  ['mouse', (page: Page): Hands => new MouseHands(page)],
  ['keyboard', (page: Page): Hands => new KeyboardHands(page)],
] as const) {
  test.describe(`by ${way} alone`, () => {
    test.describe.configure({ mode: 'serial' });
    let home: TestHome;
    let app: WorkbenchApp;
    let hands: Hands;
    let run: RunPage;
    let form: NewDeploymentPage;

    test.beforeAll(async () => {
      home = await createHome();
      app = await launch(home);
      hands = makeHands(app.page);
      run = new RunPage(app.page);
      form = new NewDeploymentPage(app.page);
    });
    test.afterAll(async () => {
      await shutDown(app);
      await home.remove();
    });

    /** Holds the count of a task against its limit, and keeps it with the results. */
    const expectTaken = (task: Task): void => {
      const taken = hands.taken();
      test.info().annotations.push({ type: `${task}, ${way}`, description: `${taken} clicks and keys` });
      expect(taken, `clicks and keys of "${task}"`).toBeLessThanOrEqual(limits[task][way]);
    };
    /** The task is done once the run is under way; what it does is the subject of other tests. */
    const expectStarted = async (task: Task): Promise<void> => {
      await expect(run.status).toHaveAttribute('data-status', 'running');
      expectTaken(task);
      await run.button('Cancel run').click();
      await expect(run.status).toHaveAttribute('data-status', 'cancelled');
    };
    const rowOf = (runId: string): Locator =>
      app.page.locator(`[data-run="${runId}"]`).getByRole('button', { name: 'For hall 4', exact: true });

    test('the first demo', async () => {
      const demo = app.page.getByRole('button', { name: 'Start the ResNet-50 demo' });
      await expect(app.page.locator('[data-machine="tools"]')).toHaveAttribute('data-state', 'here');
      if (way === 'mouse') await takePictures(app.page, 'first-run');
      await hands.press(demo);
      await expectStarted('first demo');
    });

    test('the same run with fp16', async () => {
      await hands.press(run.button('Run again with changes'));
      await hands.choose(form.option('Format and precision', 'ONNX, FP16'));
      await expect(form.summary.locator('[data-change]')).toHaveText([/Precision.*FP32 → FP16/]);
      await expect(form.start).toBeEnabled();
      await hands.start(form.start);
      await expectStarted('the same run with fp16');
    });

    test('an ONNX file of one’s own', async () => {
      const path = join(home.path, 'scene.onnx');
      await writeFile(path, onnxBytes());
      await choosePath(app, path);
      await hands.newDeployment();
      await hands.press(form.own.getByRole('button', { name: 'Choose a file…' }));
      await expect(app.page.getByRole('status').filter({ hasText: 'In use' })).toContainText(path);
      await expect(form.start).toBeEnabled();
      await hands.start(form.start);
      await expectStarted('own ONNX');
    });

    test('the best level under 20 ms, and the report to a colleague', async () => {
      await placeMeasured(home);
      await app.page.reload();
      await new Shell(app.page).go('Runs');
      const budget = app.page.getByRole('textbox', { name: 'p99 budget' });
      await hands.command(rowOf(measuredId), 'hall');
      await hands.command(budget, 'p99');
      await expect(budget).toBeFocused();
      await hands.write('20');
      await expect(app.page.locator('.answer')).toContainText('1,800');
      expectTaken('best level under 20 ms');

      const pdf = join(home.path, 'for-a-colleague.pdf');
      await saveTo(app, pdf);
      await new Shell(app.page).go('Runs');
      await hands.command(rowOf(measuredId), 'hall');
      await hands.command(run.button('Export PDF'), 'pdf');
      await expect(app.page.getByText(pdf)).toBeVisible();
      expectTaken('report to a colleague');
      expect((await readFile(pdf)).subarray(0, 5).toString()).toBe('%PDF-');
      expect(app.complaints).toEqual([]);
    });
  });
}
