import { expect, test } from '@playwright/test';
import type { JournalBody } from '../../main/contract/run/run-events';
import { completeBodies, journalFixture, readingsFixture } from '../support/run-state';
import { Shell } from './pages/shell.page';
import { createHome, launch, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

/** The fixture's run as it is on GPUs, of which the last one gets hot. */
function bodiesOn(runId: string, uuids: readonly string[]): readonly JournalBody[] {
  return completeBodies().map((body): JournalBody => {
    if (body.type === 'run-created' && 'spec' in body) {
      const { spec } = body;
      const engine = { kind: 'docker' as const, gpus: [...uuids], shmSizeMiB: 1024 };
      const configure = { ...spec.configure, instances: 2, instanceKind: 'KIND_GPU' as const };
      return { ...body, runId, spec: { ...spec, targetGpu: 'A40', engine, configure } };
    }
    if (body.type !== 'measurement') return body;
    const { point } = body;
    const gpus = readingsFixture(uuids, Math.min(1, point.concurrency / 16));
    return { ...body, point: { ...point, gpus } };
  });
}

const two = '20251121-081500-two';
const one = '20251121-081500-one';
const instances = '2 GPUs × 2 instances = 4';
const otherwise = new RegExp(
  `Measured under other conditions than published[.] Load tool: .*[.] Model instances: ${instances}; published: `,
);

test.describe('a run on GPUs', () => {
  let home: TestHome;
  let app: WorkbenchApp;
  test.beforeAll(async () => {
    home = await createHome();
    await placeRun(home, journalFixture(bodiesOn(two, ['GPU-aaaa1111', 'GPU-bbbb2222'])));
    await placeRun(home, journalFixture(bodiesOn(one, ['GPU-aaaa1111'])));
    app = await launch(home);
  });
  test.afterAll(async () => {
    await app.electron.close();
    await home.remove();
  });

  test('shows what was read of them, with a sign where the clocks were held down', async () => {
    const { page } = app;
    await page.locator(`[data-run="${two}"]`).click();
    for (const id of ['gpu-load', 'gpu-power', 'gpu-clock']) {
      await expect(page.locator(`[data-chart="${id}"]`)).toContainText('Clocks throttled');
    }
    await page.locator('[data-chart="gpu-clock"]').scrollIntoViewIfNeeded();
    await takePictures(page, 'gpu-run');
  });

  test('says beside the published figures where it was measured otherwise', async () => {
    await expect(app.page.getByRole('note').filter({ hasText: otherwise })).toBeVisible();
  });

  test('plans replicas, GPUs, cost and energy by its levels, and gives them as text', async () => {
    const { page } = app;
    const panel = page.getByRole('region', { name: 'Capacity', exact: true });
    const answer = panel.getByRole('status');
    for (const [label, value] of [
      ['Rate (inferences/s)', '5000'],
      ['p99 target (ms)', '40'],
      ['Headroom (%)', '50'],
      ['Price per hour', '2.5'],
    ] as const) {
      await panel.getByLabel(label).fill(value);
    }
    // 7,500 over 595 inferences/s, and a spare; two GPUs each.
    await expect(answer).toHaveText(
      /^13 replicas on 26 GPUs hold 5,000 inferences\/s within a p99 of 40 ms, with 50 % headroom and one spare\. Measured in a closed loop;/,
    );
    await expect(panel).toContainText('Cost per month (730 h)23,725.00');
    const levels = panel.getByRole('region', { name: 'Levels of the capacity' });
    await expect(levels.getByRole('row', { name: /batch size 8,/ })).toContainText('not steady');
    await panel.locator('[data-chart="capacity"]').scrollIntoViewIfNeeded();
    await expect(panel.locator('[data-chart="capacity"] .points path')).not.toHaveCount(0);
    expect(await findings(page)).toEqual([]);
    await panel.evaluate((element) => {
      element.scrollIntoView({ block: 'start' });
    });
    await takePictures(page, 'capacity');
    await panel.getByRole('button', { name: 'Copy as text' }).click();
    await expect
      .poll(() => app.electron.evaluate(({ clipboard }) => clipboard.readText()))
      .toMatch(/^13 replicas on 26 GPUs hold [^]*Energy per inference: [\d.]+ J at full use, GPUs only/);

    // Beyond what was measured: no figure, but the level that comes nearest.
    await panel.getByLabel('p99 target (ms)').fill('1');
    await expect(answer).toHaveText(/^No steady level meets a p99 of 1 ms\. The best has p99 /);
    expect(app.complaints).toEqual([]);
  });

  test('says the same of each run that is compared, and what GPUs and instances come to', async () => {
    const { page } = app;
    await new Shell(page).go('Runs');
    for (const runId of [two, one]) {
      await page.locator(`[data-run="${runId}"]`).getByRole('checkbox').check();
    }
    await page.getByRole('group', { name: 'Selected runs' }).getByRole('button', { name: 'Compare' }).click();
    const notes = page.getByRole('note');
    await expect(notes.filter({ hasText: otherwise })).toBeVisible();
    await expect(notes.filter({ hasText: 'Measured under other conditions than published.' })).toHaveCount(2);
    const row = page.getByRole('row', { name: /Model instances in total/ });
    await expect(row).toContainText(instances);
    await expect(row).toContainText('2 on 1 GPU');
    expect(app.complaints).toEqual([]);
  });
});
