import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const short = [
  ...['--json', '--batch-sizes', '1', '--concurrency', '2', '--measurement-interval-ms', '300'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
];

const presets = [
  ['tft', 'onnx', ['test_p10', 'test_p50', 'test_p90']],
  ['fastpitch', 'ts-trace', ['accuracy', 'mel_distance', 'length_error']],
  ['nnunet', 'ts-script', ['dice']],
] as const;

it.each(presets)('%s goes from model code as %s to a report', async (preset, format, metrics) => {
  const result = await cli(home.path, 'run', preset, '--profile', 'quick', ...short);
  expect(result.stderr).not.toContain('✗');
  expect(result.code).toBe(0);
  const document = documentOf(result);
  expect(document.status).toBe('done');
  expect(document.dir).toContain(`${preset}-${format}-`);
  expect(document.accuracy?.passed).toBe(true);
  for (const name of metrics) {
    const metric = document.accuracy?.metrics.find((entry) => entry.name === name);
    expect(metric?.framework, name).not.toBeNull();
    expect(metric?.triton, name).not.toBeNull();
    // The preset's own bound, far better than untrained, is part of what has passed.
    expect(metric?.threshold, name).not.toBeNull();
  }
  for (const output of document.accuracy?.outputs ?? []) expect(output.vacuous, output.output).toBe(false);
  for (const point of [...document.offline, ...document.online]) {
    expect(point.errorCount).toBe(0);
    expect(point.inferencesPerSecond).toBeGreaterThan(0);
  }
});
