import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../support/cli';
import { createTestHome, repository, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';
import { freePorts } from '../support/triton';

const run = promisify(execFile);
const load = [
  ...['--batch-sizes', '1', '--concurrency', '1', '--set', 'performance.measurementIntervalMs=200'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
];
let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

it('the commands of "spec" run by hand, from data to figures', async () => {
  const words = ['spec', 'resnet50', ...littleModel, ...load, '--as', 'commands'];
  const { code, stdout: script } = await cli(home.path, ...words);
  expect(code).toBe(0);

  const programs = join(home.path, 'programs');
  await mkdir(programs);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(repository, 'out', 'main', 'cli.cjs')}' "$@"\n`;
  await writeFile(join(programs, 'triton-workbench'), program, { mode: 0o755 });
  await writeFile(join(home.path, 'run.sh'), script);
  const folder = join(home.path, 'by-hand');
  const [http, grpc] = await freePorts(2);
  await run('sh', [join(home.path, 'run.sh')], {
    env: {
      ...{ PATH: `${programs}:${process.env['PATH'] ?? ''}`, HOME: process.env['HOME'] },
      ...{ TRITON_WORKBENCH_HOME: home.path, RUN: folder, HTTP_PORT: String(http), GRPC_PORT: String(grpc) },
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const name of ['accuracy-metrics-triton', 'offline', 'online']) {
    await access(join(folder, 'results', `${name}.csv`));
  }
});
