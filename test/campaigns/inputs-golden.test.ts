import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import type { GoldenFile } from '../../main/contract/golden';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';

const model = 'docs/examples/tabular/model.onnx';

let home: TestHome;
let dir: string;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-golden-run-'));
});
afterAll(async () => {
  await cli(home.path, 'deployments', 'stop', 'tabular');
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

const run = (...args: readonly string[]) =>
  cli(
    home.path,
    ...['run', model, ...args, '--profile', 'quick', '--batch-sizes', '1', '--concurrency', '2', '--json'],
    ...['--measurement-interval-ms', '300', '--set', 'performance.maxTrials=3'],
    ...['--set', 'performance.warmupMs=100'],
  );

it('golden samples of a run go with its deployment and its bundle, which refuse another answer', async () => {
  const first = await run('--dataset', 'docs/examples/tabular/samples.json');
  expect(first.code, first.stderr).toBe(0);
  const golden = join(dir, 'tabular.json');
  const recorded = await cli(
    home.path,
    ...['golden', 'record', '--from', documentOf(first).runId, '--output', golden],
  );
  expect(recorded.code, recorded.stderr).toBe(0);

  const checked = await run('--golden', golden);
  expect(checked.code, checked.stderr).toBe(0);
  const { runId } = documentOf(checked);
  const deployed = await cli(home.path, 'deploy', runId, '--name', 'tabular', '--json');
  expect(deployed.code, deployed.stderr).toBe(0);
  const { httpUrl, models } = JSON.parse(deployed.stdout) as DeploymentInfo;
  const { samples } = JSON.parse(await readFile(golden, 'utf8')) as GoldenFile;
  expect(models).toMatchObject([
    { accuracy: 'verified', golden: 'tabular.json', checkedSamples: samples.length },
  ]);
  const shown = await cli(home.path, 'deployments', 'show', 'tabular');
  expect(shown.stdout).toContain(`canary, ${samples.length} samples of tabular.json`);

  const bundle = join(dir, 'bundle');
  expect((await cli(home.path, 'bundle', runId, '--out', bundle)).code).toBe(0);
  expect(await readFile(join(bundle, 'README.md'), 'utf8')).toContain('the golden file tabular.json');
  const smoke = () =>
    promisify(execFile)('python3', [join(bundle, 'smoke-test.py'), '--url', httpUrl, '--skip-latency']).then(
      ({ stdout }) => stdout,
      (error: unknown) => (error as { readonly stdout: string }).stdout,
    );
  expect(await smoke()).toContain(
    `ok    samples: ${samples.length} samples are answered as tabular.json has them`,
  );
  const file = join(bundle, 'samples', '0-output-0.bin');
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0x42));
  expect(await smoke()).toMatch(/FAIL {2}samples: sample .* (differs|has)/);
});
