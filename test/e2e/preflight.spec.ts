import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { RunPage } from './pages/run.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';

/** What the workbench asks an engine before a start; of a machine without GPUs. */
const answers: Readonly<Record<string, object>> = {
  '/version': { Version: '27.5.1', ApiVersion: '1.47', MinAPIVersion: '1.24', Arch: 'amd64' },
  '/info': {
    ...{ ServerVersion: '27.5.1', OperatingSystem: 'Ubuntu 24.04', OSType: 'linux', Architecture: 'x86_64' },
    ...{ NCPU: 4, MemTotal: 16 * 1024 ** 3, DockerRootDir: '/var/lib/docker', SecurityOptions: [] },
    ...{ Runtimes: { runc: { path: 'runc' } }, CgroupVersion: '2', ID: 'fake', Name: 'fake' },
  },
};

let home: TestHome;
let app: WorkbenchApp;
let folder: string;
/** Fake: an engine that says what it is and does nothing. */
let fakeEngine: Server;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbench-engine-'));
  fakeEngine = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v[\d.]+/, '').replace(/[?].*/, '');
    response.setHeader('content-type', 'application/json');
    if (path === '/_ping') response.end('OK');
    else if (path in answers) response.end(JSON.stringify(answers[path]));
    else {
      response.statusCode = 404;
      response.end(JSON.stringify({ message: 'this engine does nothing' }));
    }
  });
  const socket = join(folder, 'docker.sock');
  await new Promise<void>((resolve) => fakeEngine.listen(socket, resolve));
  home = await createHome();
  app = await launch(home, { ...process.env, DOCKER_HOST: `unix://${socket}` });
});
test.afterAll(async () => {
  await shutDown(app);
  fakeEngine.closeAllConnections();
  fakeEngine.close();
  await home.remove();
  await rm(folder, { recursive: true, force: true });
});

test('a start that the preflight refuses can be made anyway, and marks the run', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  await form.begin();
  await form.open('Environment');
  await form.set('engine.kind', 'docker');
  await page.getByRole('combobox', { name: 'GPUs' }).fill('GPU-1a2b3c4d');
  await page.keyboard.press('Enter');
  await form.open('Review & run');
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText('GPU-1a2b3c4d requested');
  await expect(form.start).toBeDisabled();
  await page.getByRole('button', { name: 'Start anyway…' }).click();
  await expect(
    page.getByText('Start although the preflight found problems? The run is marked.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Start anyway…' }).click();
  await page.getByRole('button', { name: 'Start anyway', exact: true }).click();
  await expect(new RunPage(page).status).toBeVisible();
  expect(await journal()).toMatch(/"type":"preflight".*"skipped":true.*GPU-1a2b3c4d requested/);
});

/** Of the one run of this home. */
async function journal(): Promise<string> {
  const { runs } = await app.page.evaluate(async () => {
    const bridge = (globalThis as unknown as { workbench: { call: (name: string) => Promise<unknown> } })
      .workbench;
    return { runs: await bridge.call('runs.list') };
  });
  const { value } = runs as { value: { runs: { runId: string }[] } };
  return readFile(join(home.path, 'runs', value.runs[0]?.runId ?? '', 'journal.jsonl'), 'utf8');
}
