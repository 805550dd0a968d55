import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { someOf } from '../support/campaign';
import { cli } from '../support/cli';
import { dataModels } from '../support/data-models';
import { dataArguments, dataRows } from '../support/data-rows';
import { createTestHome, type TestHome } from '../support/home';
import { expectRow, pageRows } from '../support/input-rows';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
let dir: string;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-perf-data-'));
  triton = await startTestTriton(dataModels);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

it.each(someOf(Object.keys(dataRows)))('docs/guide/inputs.md says what perf says of: %s', async (name) => {
  const row = pageRows(await readFile('docs/guide/inputs.md', 'utf8')).find((one) => one.name === name);
  if (row === undefined) throw new Error(`${name} is not in the page`);
  const args = await dataArguments(name, await mkdtemp(join(dir, 'row-')));
  const { code, stdout, stderr } = await cli(
    home.path,
    ...[...args, '-u', triton.httpAddress, '--grpc-url', triton.grpcAddress],
    ...['--measurement-interval-ms', '100', '--max-trials', '3', '--warmup-ms', '50'],
  );
  expectRow(row, `${stdout}${stderr}`, code === 0);
});
