import { expect, type Locator, test } from '@playwright/test';
import type { SlowRequests } from '../../main/contract/measured/slow-requests';
import type { JournalBody } from '../../main/contract/run/run-events';
import { slowRequestsOf } from '../../main/domain/measured/slow/slow-requests';
import { tracedSpans } from '../../main/perf/trace/traced-spans';
import { completeBodies, journalFixture, stepBodies } from '../support/run-state';
import { httpStamps, stepStamps, type TracedRequestOf, traceFile, without } from '../support/triton-trace';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

let home: TestHome;
let app: WorkbenchApp;
let runId: string;

/** Trace files of Triton: 200 requests to an ensemble, of which every twentieth waits for its second model. */
function ensembleTrace(): readonly SlowRequests[] {
  const requests = Array.from({ length: 200 }, (_unused, at): readonly TracedRequestOf[] => {
    const isSlow = at % 20 === 7;
    const fromUs = 100_000 * at;
    const detect = 2400 + 200 * Math.sin(at);
    const waits = isSlow ? 31_000 + 400 * (at % 5) : 900;
    const recognize = 5200 + 300 * Math.cos(at);
    const endUs = fromUs + 40 + 300 + detect + waits + recognize;
    const ids = [1, 2, 3].map((part) => 3 * at + part) as [number, number, number];
    // An ensemble computes nothing itself.
    const computing = ['COMPUTE_START', 'COMPUTE_INPUT_END', 'COMPUTE_OUTPUT_START', 'COMPUTE_END'];
    const whole = without(httpStamps(fromUs, 0, 0), ...computing);
    return [
      {
        ...{ id: ids[0], model: 'ocr' },
        atUs: { ...whole, REQUEST_END: endUs, HTTP_SEND_START: endUs + 5, HTTP_SEND_END: endUs + 60 },
      },
      { id: ids[1], model: 'detect', parent: ids[0], atUs: stepStamps(fromUs + 40, 300, detect) },
      {
        ...{ id: ids[2], model: 'recognize', parent: ids[0] },
        atUs: stepStamps(fromUs + 40 + 300 + detect, waits, recognize),
      },
    ];
  });
  return slowRequestsOf(tracedSpans(traceFile(requests.flat()), 'trace.json'));
}

test.beforeAll(async () => {
  home = await createHome();
  // The last one begins the report.
  const bodies = completeBodies().slice(0, -1);
  const levels = bodies.filter((body) => body.type === 'measurement');
  const [first, last] = [levels.at(0), levels.at(-1)];
  if (first === undefined || last === undefined) throw new Error('The fixture has levels');
  const traced = ({ scenario, key }: typeof first, event: (JournalBody & { type: 'trace' })['event']) =>
    ({ type: 'trace', scenario, key, event }) as const;
  const entries = journalFixture([
    ...bodies,
    traced(first, { kind: 'traced', slow: [], problem: 'Triton wrote no trace of this level' }),
    traced(last, { kind: 'traced', slow: [...ensembleTrace()] }),
    ...stepBodies('report'),
    { type: 'run-finished', outcome: 'done' },
  ]);
  ({ runId } = await placeRun(home, entries));
  app = await launch(home);
});
test.afterAll(async () => {
  await shutDown(app);
  await home.remove();
});

const panel = (): Locator => app.page.getByRole('region', { name: 'Where slow requests spend their time' });

/** The select of the level has a sign with this role too. */
const drawn = (): Locator => panel().getByRole('img', { name: /^(Around the median|Slowest): / });

test('the page of a run draws where slow requests spent their time, by model of the ensemble', async () => {
  const { page } = app;
  await new Shell(page).go('Runs');
  await page.locator(`[data-run="${runId}"]`).click();
  await panel().scrollIntoViewIfNeeded();
  await expect(panel()).toContainText('Their longest part is recognize: queue');
  const bars = drawn();
  await expect(bars).toHaveCount(2);
  const [median, slow] = await bars.all();
  const lengthOf = (bar: Locator | undefined): Promise<number> =>
    bar === undefined
      ? Promise.resolve(0)
      : bar.evaluate((element) =>
          [...element.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0),
        );
  const [ofMedian, ofSlow] = [await lengthOf(median), await lengthOf(slow)];
  expect(ofMedian).toBeGreaterThan(0);
  expect(ofSlow).toBeGreaterThan(3 * ofMedian);
  const longest = panel().locator('tbody tr', { hasText: 'longest' });
  await expect(longest).toHaveCount(1);
  await expect(longest).toContainText('recognize: queue');
  await page.setViewportSize({ width: 1280, height: 800 });
  await panel().evaluate((element) => {
    element.scrollIntoView({ block: 'start' });
  });
  await takePictures(page, 'slow-requests');
  expect(await findings(page)).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test('another level is chosen by keyboard, and says why it was not traced', async () => {
  const { page } = app;
  const level = panel().getByRole('combobox', { name: 'Level of the traced requests' });
  await level.focus();
  await level.press('Home');
  await expect(panel()).toContainText('Not traced: Triton wrote no trace of this level');
  await expect(drawn()).toHaveCount(0);
  await level.press('End');
  await expect(drawn()).toHaveCount(2);
  expect(await findings(page)).toEqual([]);
});
