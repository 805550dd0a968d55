import { expect, test } from '@playwright/test';
import { completeBodies, journalFixture, readingsFixture } from '../support/run-state';
import { createHome, launch, type TestHome, type WorkbenchApp } from './support/app';
import { takePictures } from './support/pictures';
import { placeRun } from './support/place-run';

/** The fixture's run as it is on two GPUs, of which one gets hot. */
const bodies = completeBodies().map((body) => {
  if (body.type === 'run-created') {
    const { spec } = body;
    return {
      ...body,
      spec: {
        ...spec,
        engine: { kind: 'docker' as const, gpus: ['GPU-aaaa1111', 'GPU-bbbb2222'], shmSizeMiB: 1024 },
        configure: { ...spec.configure, instances: 2, instanceKind: 'KIND_GPU' as const },
      },
    };
  }
  if (body.type !== 'measurement') return body;
  const { point } = body;
  const gpus = readingsFixture(['GPU-aaaa1111', 'GPU-bbbb2222'], Math.min(1, point.concurrency / 16));
  return { ...body, point: { ...point, gpus } };
});

test.describe('a run on GPUs', () => {
  let home: TestHome;
  let app: WorkbenchApp;
  test.beforeAll(async () => {
    home = await createHome();
    const { runId } = await placeRun(home, journalFixture(bodies));
    app = await launch(home);
    await app.page.locator(`[data-run="${runId}"]`).click();
  });
  test.afterAll(async () => {
    await app.electron.close();
    await home.remove();
  });

  test('shows what was read of them, with a sign where the clocks were held down', async () => {
    const { page } = app;
    for (const id of ['gpu-load', 'gpu-power', 'gpu-clock']) {
      await expect(page.locator(`[data-chart="${id}"]`)).toContainText('Clocks throttled');
    }
    await page.locator('[data-chart="gpu-clock"]').scrollIntoViewIfNeeded();
    await takePictures(page, 'gpu-run');
    expect(app.complaints).toEqual([]);
  });
});
