import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takesAll } from '../support/campaign';
import { cli, documentOf } from '../support/cli';
import { createTensorflowHome, tensorflowInstallMs } from '../support/component-homes';
import { repository, type TestHome } from '../support/home';

const run = promisify(execFile);

let home: TestHome;
let saved: string;
const python = (args: readonly string[]) =>
  run(join(home.path, 'tensorflow', 'bin', 'python'), args, {
    cwd: join(repository, 'test', 'python'),
    env: { ...process.env, PYTHONPATH: join(repository, 'resources'), PYTHONDONTWRITEBYTECODE: '1' },
  });
beforeAll(async () => {
  home = await createTensorflowHome();
  saved = join(home.path, 'Own net', 'saved_model');
  await python(['make_savedmodel.py', saved]);
}, tensorflowInstallMs);
afterAll(() => home.remove());

const quick = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1,4', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300'],
];

it('the toolkit takes such a folder, in the environment with TensorFlow', async () => {
  const { stderr } = await python(['-m', 'unittest', '-v', 'tensorflow_own']);
  expect(stderr).toMatch(/Ran 4 tests/);
  expect(stderr).toMatch(/^OK$/m);
});

it('is refused before it is trusted', async () => {
  const result = await cli(home.path, 'run', saved, ...quick);
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain('saved_model.pb');
  expect(result.stderr).toContain('--trust');
});

const some = [['tf-savedmodel', 'fp32', 1e-5]] as const;
const others = [
  ['onnx', 'fp16', 0.01],
  ['onnx', 'fp32', 1e-5],
] as const;

it.each(takesAll ? [...some, ...others] : some)(
  'a SavedModel folder goes as %s %s to a report',
  async (format, precision, limit) => {
    const flags = ['--format', format, '--precision', precision, '--shape', 'values=1,6,3'];
    const result = await cli(home.path, 'run', saved, '--trust', ...flags, ...quick);
    expect(result.stderr).not.toContain('✗');
    expect(result.code).toBe(0);
    const document = documentOf(result);
    expect(document.dir).toContain(`own-net-${format}-${precision}`);
    const sum = document.accuracy?.outputs.find(({ output }) => output === 'sum');
    expect(sum).toMatchObject({ passed: true, vacuous: false });
    expect(sum?.maxAbsDiff).toBeLessThan(limit);
    for (const point of [...document.offline, ...document.online]) {
      expect(point.errorCount).toBe(0);
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
    }
    expect(document.environment?.packages['tensorflow-cpu']).toBeDefined();
  },
);
