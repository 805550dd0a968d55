import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { repository } from '../support/home';
import { asRoot, createHome, launch, shutDown, type TestHome, type WorkbenchApp } from './support/app';
import { findings } from './support/axe';

const run = promisify(execFile);
const folder = join(
  repository,
  'dist',
  process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`,
);
const program = join(folder, 'triton-workbench');

let home: TestHome;
let app: WorkbenchApp | null = null;
let env: NodeJS.ProcessEnv;

test.beforeAll(async () => {
  // As somebody whose new files nobody else may read.
  const line = 'umask 077; exec "$0" "$@"';
  await run('sh', [
    '-c',
    line,
    process.execPath,
    join(repository, 'scripts', 'package.mjs'),
    '--test',
    'dir',
  ]);
  home = await createHome();
  // A package finds its own app and resources, without those of this run of the tests.
  env = {
    ...process.env,
    TRITON_WORKBENCH_HOME: home.path,
    TRITON_WORKBENCH_APP: undefined,
    TRITON_WORKBENCH_RESOURCES: undefined,
  };
});
test.afterAll(async () => {
  if (app !== null) await shutDown(app);
  await home.remove();
});

/** The command line of the package, as from a shell without Node. */
const cli = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  run(join(folder, 'bin', 'triton-workbench'), [...args], {
    // The runner of these tests asks everything for colors.
    env: {
      ...{ ...env, PATH: '/usr/bin:/bin', FORCE_COLOR: undefined },
      ...{ DISPLAY: undefined, WAYLAND_DISPLAY: undefined, ...more },
    },
  });

test('the command line of a package needs no Node, says what it is, and takes no orders from the environment', async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    version: string;
  };
  const said = await cli(['--version'], { NODE_OPTIONS: '--require /nowhere.cjs' });
  expect(said.stdout).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}-test\\.electron\\.`));
  // Without a display there is no window to open.
  expect((await cli([])).stdout).toContain('Usage: triton-workbench');
});

test('a package shows its window and opens what the desktop hands over', async () => {
  const csv = join(repository, 'test', 'fixtures', 'perf-analyzer', 'profile-concurrency.csv');
  const imported = await cli(['import', csv, '--model', 'cached', '--batch-size', '2', '--json']);
  const { runId } = JSON.parse(imported.stdout) as { runId: string };
  const file = join(home.path, 'run.yaml');
  await writeFile(file, 'model:\n  preset: tft\nperformance:\n  batchSizes: [1, 2, 4]\n');

  app = await launch(home, env, { executablePath: program, args: [...asRoot, file] });
  const { page, complaints } = app;
  await expect(page.getByRole('status').filter({ hasText: 'run.yaml' })).toBeVisible();
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('-test.electron.');

  // A second start hands its argument to the first, and ends.
  await run(program, [...asRoot, `triton-workbench://run/${runId}`], { env });
  await expect(page.getByRole('status', { name: 'Imported' })).toContainText('profile-concurrency.csv');

  await run(program, [...asRoot, 'triton-workbench://run/../../etc'], { env });
  await expect(page.getByText('The address does not name a run')).toBeVisible();

  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await page.getByRole('menuitem', { name: 'About Triton Workbench' }).click();
  await page.getByRole('button', { name: 'Licenses', exact: true }).click();
  const licenses = page.getByRole('dialog', { name: 'Licenses', exact: true });
  await licenses.getByRole('textbox', { name: 'Find' }).fill('electron');
  await licenses.getByText(/^Electron \d/).click();
  await expect(licenses.getByRole('region', { name: /^License of Electron/ })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a package says what is in it, in a bill of materials', async () => {
  const bill = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8')) as {
    readonly components: readonly { readonly purl: string }[];
  };
  const purls = bill.components.map(({ purl }) => purl);
  for (const start of ['pkg:generic/electron@', 'pkg:generic/uv@', 'pkg:npm/react@', 'pkg:pypi/torch@'])
    expect(purls.filter((purl) => purl.startsWith(start))).not.toEqual([]);
});

test('a package has the examples that its documentation runs', async () => {
  const guide = await readFile(join(repository, 'docs', 'guide', 'examples.md'), 'utf8');
  const named = [...guide.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(await readdir(join(folder, 'examples'))).toEqual(expect.arrayContaining(named));
});

test('everybody may read a package, whatever umask it was made with', async () => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(entries.length).toBeGreaterThan(100);
  const closed = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    if ((mode & 0o044) !== 0o044 || (entry.isDirectory() && (mode & 0o011) !== 0o011)) closed.push(path);
  }
  expect(closed).toEqual([]);
});
