import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { DeploymentStore } from '../../main/deployments/deployment-store';
import { repository } from '../support/home';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';
import { Shell } from './pages/shell.page';
import { answerConsent, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';
import { takePictures } from './support/pictures';

// Each continues from the one before it.
test.describe.configure({ mode: 'serial' });
test.skip(sshdProblem() !== null, 'no sshd');

const engineSocket = '/var/run/docker.sock';

let sshd: TestSshd;
let home: TestHome;
let programs: string;
let app: WorkbenchApp;

test.beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'workbench-e2e-programs-'));
  const capture = join(repository, 'test', 'fixtures', 'nvidia-smi', 'h200-v13.xml');
  await writeFile(join(programs, 'nvidia-smi'), `#!/bin/sh\ncat '${capture}'\n`, { mode: 0o755 });
  // The machine has GPUs, and no Docker until a test gives it the engine of the tests, where there is one.
  await writeFile(
    join(programs, 'docker'),
    `#!/bin/sh\n[ ! -e '${programs}/with-engine' ] || export DOCKER_HOST=unix://${engineSocket}\nexec /usr/bin/docker "$@"\n`,
    { mode: 0o755 },
  );
  sshd = await startSshd({ PATH: `${programs}:/usr/bin:/bin`, DOCKER_HOST: 'unix:///nowhere/docker.sock' });
  home = await createHome();
  app = await launch(home, sshd.env);
});
test.afterAll(async () => {
  await shutDown(app);
  await sshd.stop();
  await home.remove();
  await rm(programs, { recursive: true, force: true });
});

/** What the text at 150 and 200 % leaves of a window of 1280 × 800. */
const large = [
  { width: 853, height: 533 },
  { width: 640, height: 400 },
];

const row = (name: string) => app.page.locator(`[data-host="${name}"]`);

/** Beside other tests one of `hosts` may answer too late: then all are asked once more. */
async function toReach(hosts: number, reachable: number): Promise<void> {
  const { page } = app;
  const all = page.getByText(`${hosts} hosts, ${reachable} reachable`);
  await expect(async () => {
    await expect(page.getByText(new RegExp(`${hosts} hosts, \\d+ reachable`))).toBeVisible();
    if (!(await all.isVisible())) await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(all).toBeVisible({ timeout: 20_000 });
  }).toPass();
}

test('a host is checked before it is added, by keyboard', async () => {
  const { page } = app;
  await new Shell(page).go('Hosts');
  await expect(page.getByRole('heading', { name: 'No hosts yet' })).toBeVisible();
  expect(await findings(page), 'the empty list').toEqual([]);

  await new Shell(page).command('Add host');
  const dialog = page.getByRole('dialog', { name: 'Add host' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('GPU');
  await expect(dialog.getByText('beginning with a letter')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('gpu1');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ssh://ada:secret@gpu1');
  await expect(dialog.getByText('An address must not contain a password')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Check' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Address' }).fill('ssh://gpu1');
  await dialog.getByRole('button', { name: 'Check' }).press('Enter');
  await expect(dialog.getByRole('status', { name: 'What was found' })).toContainText('NVIDIA H200');
  expect(await findings(page), 'the dialog').toEqual([]);
  await takePictures(page, 'hosts-add');
  await dialog.getByRole('textbox', { name: 'Address' }).press('Enter');

  await expect(dialog).toBeHidden();
  await expect(row('gpu1')).toContainText('NVIDIA H200');
  await expect(row('gpu1')).toContainText('No Docker');
  await expect(page.getByText('no such file or directory')).toBeVisible();
});

test('the list shows what each host has, and what is wrong with one', async () => {
  const { page } = app;
  if (existsSync(engineSocket)) await writeFile(join(programs, 'with-engine'), '');
  const hosts = Array.from({ length: 20 }, (_, index) => ({
    name: `gpu${index + 1}`,
    // The last one listens nowhere.
    address: index === 19 ? 'ssh://gpu20:9' : `ssh://gpu${index + 1}`,
    addedAt: '2026-01-01T00:00:00.000Z',
  }));
  await writeFile(join(home.path, 'hosts.json'), JSON.stringify({ version: 1, hosts }));
  const startedMs = performance.now();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(row('gpu20')).toBeVisible();
  const listedMs = performance.now() - startedMs;
  await toReach(20, 19);
  test.info().annotations.push({
    type: 'twenty hosts',
    description: `listed after ${listedMs.toFixed(0)} ms, all asked after ${(performance.now() - startedMs).toFixed(0)} ms`,
  });
  await expect(row('gpu20')).toContainText('Unreachable');
  await expect(page.getByText('Connection refused')).toBeVisible();
  expect(await findings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Check gpu2', exact: true }).click();
  const preflight = page.getByRole('region', { name: 'Preflight' });
  await expect(preflight).toContainText('GPU 0: NVIDIA H200');
  expect(await findings(page), 'with a preflight').toEqual([]);
  await page.getByRole('button', { name: 'Hide checks of gpu2', exact: true }).click();
  await expect(preflight).toBeHidden();
  await takePictures(page, 'hosts');
});

test('with large text the actions of a host stay in sight, and its question moves no column', async () => {
  const { page } = app;
  const remove = page.getByRole('button', { name: 'Remove gpu2', exact: true });
  for (const size of large) {
    await page.setViewportSize(size);
    for (const button of [page.getByRole('button', { name: 'Check gpu2', exact: true }), remove]) {
      await button.scrollIntoViewIfNeeded();
      await expect(button, `at ${size.width} pixels`).toBeInViewport({ ratio: 0.95 });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  const place = async () => (await row('gpu2').locator('[data-state]').boundingBox())?.x;
  const before = await place();
  await remove.click();
  await expect(page.getByRole('group', { name: /^Remove gpu2 from the list\?/ })).toBeInViewport({
    ratio: 0.95,
  });
  expect(await place()).toBe(before);
  await page.keyboard.press('Escape');
  await expect(remove).toBeVisible();
});

test('the monitor and the measurement of a server take the host that sees it', async () => {
  const { page } = app;
  const consent = await answerConsent(app, 'agree');
  await new Shell(page).go('Monitor');
  const picker = page.getByRole('region', { name: 'Server to watch' });
  await picker.getByRole('combobox', { name: 'Seen from' }).selectOption('gpu2');
  await picker.getByRole('textbox', { name: 'Triton HTTP address' }).fill('http://127.0.0.1:9');
  await picker.getByRole('textbox', { name: 'Triton HTTP address' }).press('Enter');
  const banner = page.getByRole('region', { name: 'Server', exact: true });
  await expect(banner).toContainText('http://127.0.0.1:9 on gpu2');
  expect((await consent.said()).join()).toContain('gpu2');
  await expect(page.getByText('Triton at 127.0.0.1:9 on gpu2')).toBeVisible();
  await expect(page.locator('[data-monitor]')).toContainText('127.0.0.1:9 on gpu2');
  expect(await findings(page), 'the monitor of a host').toEqual([]);
  await takePictures(page, 'monitor-host');

  await new Shell(page).command('Measure a server');
  const dialog = page.getByRole('dialog', { name: 'Measure a running Triton' });
  await dialog.getByRole('combobox', { name: 'Seen from' }).selectOption('gpu1');
  await expect(dialog.getByRole('combobox', { name: 'Seen from' })).toHaveValue('gpu1');
  expect(await findings(page), 'the measurement').toEqual([]);
  await takePictures(page, 'measure-host');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('a deployment whose host is away is unknown', async () => {
  const { page } = app;
  const store = new DeploymentStore(join(home.path, 'deployments'));
  const engine = {
    ...{ kind: 'docker' as const, host: 'gpu20', imageId: `sha256:${'a'.repeat(64)}`, image: 'triton-cpu:1' },
    ...{ builtHere: true, gpus: [], shmSizeMiB: 64, listen: '127.0.0.1' },
  };
  const ports = { http: 8000, grpc: 8001, metrics: 8002 };
  const { folder } = await store.create({ type: 'deployment-created', id: 'resnet50', engine, ports });
  await store.append(folder, { type: 'started' });
  for (const version of [1, 2]) {
    const runId = `2026010${version}-000000-resnet50-onnx-fp32-0a1b2c`;
    const checks = { checkedSamples: 8, checkedBatchSize: 8, accuracy: 'verified' as const };
    const served = {
      model: 'resnet50',
      version,
      runId,
      format: 'onnx',
      precision: 'fp32',
      ...checks,
    } as const;
    await store.append(folder, { type: 'version-served', version: served });
  }
  await new Shell(page).go('Deployments');
  await expect(page.locator('.panel-head [data-state="unknown"]')).toHaveText('Unknown');
  await expect(page.getByText('The host gpu20 is not reachable')).toBeVisible();
  await expect(page.getByText('gpu20; the addresses are as seen from it')).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await takePictures(page, 'deployments-host');
  for (const size of large) {
    await page.setViewportSize(size);
    const back = page.getByRole('button', { name: /^Roll back resnet50 of resnet50 to version 1/ });
    await back.scrollIntoViewIfNeeded();
    await expect(back, `at ${size.width} pixels`).toBeInViewport({ ratio: 0.95 });
    const table = await page.locator('.deployment-models').boundingBox();
    expect((table?.x ?? 0) + (table?.width ?? 0), `at ${size.width} pixels`).toBeLessThan(size.width);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await store.remove(folder);
  await new Shell(page).go('Hosts');
});

test('a host is removed after a question', async () => {
  const { page } = app;
  for (const name of ['gpu3', 'gpu20']) {
    await page.getByRole('button', { name: `Remove ${name}`, exact: true }).click();
    const question = page.getByRole('group', { name: `Remove ${name} from the list?` });
    await question.getByRole('button', { name: 'Remove' }).click();
    await expect(row(name)).toHaveCount(0);
  }
  await toReach(18, 18);
  expect(app.complaints).toEqual([]);
});
