import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, documentOf } from '../support/cli';
import { createTreesHome } from '../support/component-homes';
import type { TestHome } from '../support/home';

const example = 'docs/examples/trees';

let home: TestHome;
beforeAll(async () => {
  home = await createTreesHome();
}, 300_000);
afterAll(() => home.remove());

const quick = [
  ...['--profile', 'quick', '--json', '--batch-sizes', '1', '--concurrency', '2'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '300'],
];

it('the example of LightGBM goes to a report with its own rows by column', async () => {
  const result = await cli(
    home.path,
    ...['run', `${example}/model.txt`, '--dataset', `${example}/rows.json`],
    ...quick,
  );
  expect(result.stderr).toContain('gradient boosting with binary');
  const document = documentOf(result);
  expect([result.code, document.accuracy?.passed], result.stderr).toEqual([0, true]);
  expect(document.accuracy?.sampleCount).toBe(64);
  expect(document.accuracy?.outputs.map(({ output }) => output)).toEqual(['label', 'probabilities']);
  expect(document.environment?.packages).toHaveProperty('lightgbm');
});
