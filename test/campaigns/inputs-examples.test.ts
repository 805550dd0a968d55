import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, documentOf } from '../support/cli';
import { createTestHome, repository, type TestHome } from '../support/home';

const examples = 'docs/examples';

let home: TestHome;
let dir: string;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-examples-'));
});
afterAll(async () => {
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

const short = [
  ...['--profile', 'quick', '--batch-sizes', '1', '--concurrency', '2', '--measurement-interval-ms', '300'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
];
const run = (...args: readonly string[]) => cli(home.path, 'run', ...args, ...short, '--json');

it('the tabular model goes to a report with its own rows', async () => {
  const result = await run(`${examples}/tabular/model.onnx`, '--dataset', `${examples}/tabular/samples.json`);
  expect(result.code, result.stderr).toBe(0);
  const { accuracy, offline, online } = documentOf(result);
  expect(accuracy?.passed).toBe(true);
  expect(accuracy?.sampleCount).toBe(64);
  expect([...offline, ...online].every(({ errorCount }) => errorCount === 0)).toBe(true);
});

it('the text classifier goes to a report with its own messages', async () => {
  const result = await run(`${examples}/text/model.onnx`, '--dataset', `${examples}/text/samples.json`);
  expect(result.code, result.stderr).toBe(0);
  expect(documentOf(result).accuracy?.passed).toBe(true);
});

it.each(['onnx', 'ts-trace'])(
  'the network in a folder goes to a report as %s, with its metric',
  async (format) => {
    const result = await run(`${examples}/cnn`, '--trust', '--format', format);
    expect(result.code, result.stderr).toBe(0);
    expect(documentOf(result).accuracy?.passed).toBe(true);
  },
);

it.each([
  ['matrix.yaml', 4],
  ['runner.yaml', 2],
])('%s measures all of its %s runs', async (file, count) => {
  const result = await cli(
    home.path,
    'run',
    '--matrix',
    `${examples}/${file}`,
    '--profile',
    'quick',
    '--json',
  );
  expect(result.code, result.stderr).toBe(0);
  const { runs } = JSON.parse(result.stdout) as { runs: { state: string }[] };
  expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: count }, () => 'Complete'));
});

it('search.yaml names the best of its configurations, and shared.yaml what two models hold together', async () => {
  const first = await run(`${examples}/tabular/model.onnx`, '--name', 'tabular');
  expect(first.code, first.stderr).toBe(0);
  const result = await cli(
    home.path,
    ...['search', 'tabular', '--from-analyzer', `${examples}/search.yaml`],
    ...['--budget', '60s', '--json'],
  );
  expect(result.code, result.stderr).toBe(0);
  const { search } = JSON.parse(result.stdout) as { search: { candidates: { instances: number }[] } };
  expect(new Set(search.candidates.map(({ instances }) => instances))).toEqual(new Set([1, 2]));
  // The latest run is the one that both models of the file are of.
  const shared = await cli(home.path, 'search', `${examples}/shared.yaml`, '--json');
  expect([0, 4], shared.stderr).toContain(shared.code);
  const { answer } = JSON.parse(shared.stdout) as {
    answer: { factor: number; rows: { model: string }[] };
  };
  expect(answer.factor).toBeGreaterThan(0);
  expect(answer.rows.map(({ model }) => model)).toEqual(['ranking', 'background']);
});

it('the recipe for CI accepts the first build, and judges the second', async () => {
  const bin = join(dir, 'bin');
  await mkdir(bin);
  const program = join(bin, 'triton-workbench');
  await writeFile(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${join(repository, 'out', 'main', 'cli.cjs')}" "$@"\n`,
  );
  await chmod(program, 0o755);
  const gate = async (build: string) =>
    promisify(execFile)(
      resolve(examples, 'ci', 'gate.sh'),
      [resolve(examples, 'tabular', 'model.onnx'), build, ...short, '--repeats', '3'],
      {
        cwd: dir,
        env: {
          ...process.env,
          PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
          TRITON_WORKBENCH_HOME: home.path,
        },
      },
    ).then(
      () => 0,
      (error: unknown) => (error as { code: number }).code,
    );
  expect(await gate('build-1')).toBe(0);
  // Of the same model: on a busy machine the noise may be too large to judge, or beyond a criterion.
  expect([0, 3, 4]).toContain(await gate('build-2'));
  expect(await readFile(join(dir, 'results', 'compare.md'), 'utf8')).toContain('build-2');
  expect(await readFile(join(dir, 'results', 'report.md'), 'utf8')).toContain('build-2');
});
