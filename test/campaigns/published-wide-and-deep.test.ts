import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, documentOf } from '../support/cli';
import { createTensorflowHome, tensorflowInstallMs } from '../support/component-homes';
import { repository, type TestHome } from '../support/home';

let home: TestHome;
beforeAll(async () => {
  home = await createTensorflowHome();
}, tensorflowInstallMs);
afterAll(() => home.remove());

it('the data set, its loader and published checkpoints, in the environment with TensorFlow', async () => {
  const { stderr } = await promisify(execFile)(
    join(home.path, 'tensorflow', 'bin', 'python'),
    ['-m', 'unittest', '-v', 'tensorflow_widedeep'],
    {
      cwd: join(repository, 'test', 'python'),
      env: { ...process.env, PYTHONPATH: join(repository, 'resources'), PYTHONDONTWRITEBYTECODE: '1' },
    },
  );
  expect(stderr).toMatch(/Ran 6 tests/);
  expect(stderr).toMatch(/^OK$/m);
});

const quick = [
  ...['run', 'wide-and-deep', '--profile', 'quick', '--json', '--batch-sizes', '64', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300'],
];

it.each([
  ['tf-savedmodel', 'fp32', 1e-5],
  ['onnx', 'fp16', 0.01],
])('wide-and-deep as %s %s goes from model code to a report', async (format, precision, limit) => {
  const result = await cli(home.path, ...quick, '--format', format, '--precision', precision);
  expect(result.stderr).not.toContain('✗');
  expect(result.code).toBe(0);
  const document = documentOf(result);
  const [metric] = document.accuracy?.metrics ?? [];
  expect(metric?.name).toBe('map12');
  // Untrained, a display's five or so ads in any order give less than half.
  expect(metric?.framework).toBeGreaterThan(0.6);
  expect(metric?.triton).toBeGreaterThan(0.6);
  const [output] = document.accuracy?.outputs ?? [];
  expect(output).toMatchObject({ output: 'wide_deep_model', passed: true, vacuous: false });
  expect(output?.maxAbsDiff).toBeLessThan(limit);
  for (const point of [...document.offline, ...document.online]) {
    expect(point.errorCount).toBe(0);
    expect(point.inferencesPerSecond).toBeGreaterThan(0);
  }
  expect(document.environment?.packages['tensorflow-cpu']).toBeDefined();
});
