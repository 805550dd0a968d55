import { expect, test } from '@playwright/test';
import { errorText } from '../../main/contract/error-text';
import { ContainersPage } from './pages/containers.page';
import { NewDeploymentPage } from './pages/new-deployment.page';
import { Shell } from './pages/shell.page';
import { createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';

/** A socket that nothing listens on: the same answer on a machine with Docker and on one without. */
const noSuchSocket = 'unix:///nonexistent/triton-workbench/docker.sock';

let home: TestHome;
let app: WorkbenchApp;
let before: string | undefined;

test.beforeAll(async () => {
  before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = noSuchSocket;
  home = await createHome();
  app = await launch(home);
});
test.afterAll(async () => {
  if (before === undefined) delete process.env['DOCKER_HOST'];
  else process.env['DOCKER_HOST'] = before;
  await shutDown(app);
  await home.remove();
});

test('the page opens by keyboard and says what would stand there', async () => {
  const { page } = app;
  const containers = new ContainersPage(page);
  const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Containers' });
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('Tab');
    if (await entry.evaluate((element) => element === document.activeElement)) break;
  }
  await expect(entry).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(containers.heading).toBeVisible();
  await expect(containers.empty).toBeVisible();
});

test('without a Docker Engine it says so, why, and what to do', async () => {
  const containers = new ContainersPage(app.page);
  await expect(containers.connection).toHaveAttribute('data-connection', 'unavailable');
  await expect(containers.connection).toContainText(errorText['docker-unreachable'].title);
  await expect(containers.connection).toContainText(noSuchSocket);
  await expect(containers.connection.getByRole('button', { name: /^Copy (command|remedy)$/ })).toBeVisible();
  await expect(new Shell(app.page).status).toContainText('not available');
});

test('images: what cannot be done yet is not offered', async () => {
  const containers = new ContainersPage(app.page);
  await containers.show('Images');
  await expect(app.page.getByText('Images appear here once Docker is reachable.')).toBeVisible();
  await containers.reference.fill('not a reference');
  await expect(app.page.getByText('Not an image reference')).toBeVisible();
  await containers.reference.fill('nvcr.io/nvidia/tritonserver:26.07-py3');
  await expect(app.page.getByText('Not an image reference')).toBeHidden();
  await expect(containers.pull).toBeDisabled();
});

test('a registry key is said to be held in memory where there is no key ring, and leaves the form', async () => {
  const { page } = app;
  await page.getByText('Registry login').click();
  const key = page
    .getByRole('textbox', { name: 'Key' })
    .or(page.getByLabel('Key', { exact: true }))
    .first();
  await key.fill('canary-key');
  await page.getByRole('button', { name: 'Use this login' }).click();
  await expect(page.getByText(/The login for nvcr\.io is kept in (memory|the desktop)/)).toBeVisible();
  await expect(key).toHaveValue('');
});

test('the engine Docker cannot be chosen, with the reason beside it', async () => {
  const { page } = app;
  const form = new NewDeploymentPage(page);
  await form.begin();
  await expect(form.start).toBeEnabled();
  await form.open('Environment');
  await expect(form.option('Engine', 'Docker containers')).toHaveCount(0);
  const engine = page.locator('[data-field="engine.kind"]');
  await engine.getByText(/^Other \(\d\): .*Docker containers/).click();
  await expect(
    engine.getByText(/Cannot connect to the Docker daemon at unix:.*nonexistent/).first(),
  ).toBeVisible();
});

test('nothing is said on the console', () => {
  expect(app.complaints).toEqual([]);
});
