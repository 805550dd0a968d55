import { expect, test } from '@playwright/test';
import type { JournalBody } from '../../main/contract/run/run-events';
import { completeBodies, journalFixture, readingsFixture } from '../support/run-state';
import { Shell } from './pages/shell.page';
import { createHome, launch, type TestHome, type WorkbenchApp } from './support/app';
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
  `Measured otherwise than published[.] Load tool: .*[.] Model instances: ${instances}; published: `,
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

  test('says the same of each run that is compared, and what GPUs and instances come to', async () => {
    const { page } = app;
    await new Shell(page).go('Runs');
    for (const runId of [two, one]) {
      await page.locator(`[data-run="${runId}"]`).getByRole('checkbox').check();
    }
    await page.getByRole('group', { name: 'Selected runs' }).getByRole('button', { name: 'Compare' }).click();
    const notes = page.getByRole('note');
    await expect(notes.filter({ hasText: otherwise })).toBeVisible();
    await expect(notes.filter({ hasText: 'Measured otherwise than published.' })).toHaveCount(2);
    const row = page.getByRole('row', { name: /Model instances in total/ });
    await expect(row).toContainText(instances);
    await expect(row).toContainText('2 on 1 GPU');
    expect(app.complaints).toEqual([]);
  });
});
