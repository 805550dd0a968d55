import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UpgradeAnswer } from '../../main/domain/study/upgrade/upgrade-answer';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { alteredRuntime, runLinear, writeEnvironment } from '../support/serving-environments';

/** Computes batches of eight otherwise. */
const changedRuntime = alteredRuntime(`    def run(self, names, feeds, options=None):
        outputs = super().run(names, feeds, options)
        rows = next(iter(feeds.values())).shape[0]
        return [values + values.dtype.type(0.01) for values in outputs] if rows == 8 else outputs`);

let home: TestHome;

beforeAll(async () => {
  home = await createTestHome(['python', 'triton']);
  const ran = await runLinear(home.path, 'linear');
  expect(ran.code, ran.stderr).toBe(0);
});
afterAll(() => home.remove());

async function upgrade(to: string, ...more: readonly string[]) {
  // Other tests use the processors, and an interval of five pairs may span a factor of hundreds:
  // bounds that no noise reaches, as only outputs are judged for certain here.
  const given = [
    '--budget',
    '11s',
    '--loads',
    '1',
    '--fail-if',
    'throughput<0.0001x',
    'p99>10000x',
    '--json',
  ];
  const { code, stdout, stderr } = await cli(home.path, 'upgrade', 'linear', '--to', to, ...given, ...more);
  expect(stdout, stderr).not.toBe('');
  return { code, stderr, answer: (JSON.parse(stdout) as { readonly answer: UpgradeAnswer }).answer };
}

it('does not move to packages that change an output at batch size 8 only', async () => {
  const { code, answer } = await upgrade(await writeEnvironment(home.path, 'changed', changedRuntime));
  expect(answer.sentence).toMatch(/^Do not move: output logits differs by 0\.01 at batch 8$/);
  expect(answer.outputs.map(({ batchSize, passed }) => [batchSize, passed])).toEqual([
    [1, true],
    [8, false],
  ]);
  expect(code).toBe(3);
});

it('may move between two that are equal', async () => {
  const to = await writeEnvironment(home.path, 'equal', null);
  const { code, stderr, answer } = await upgrade(to, '--name', 'equal');
  expect(answer.verdict, stderr).toBe('may-move');
  expect(answer.outputs.every(({ passed, maxAbsDiff }) => passed && maxAbsDiff === 0)).toBe(true);
  expect(answer.rows.every(({ loadMs, looks }) => (loadMs ?? 0) > 0 && looks >= 5)).toBe(true);
  // Of a load of its own each, at the smallest batch and at the largest.
  expect(
    answer.rows.every(({ firstUs, firstLargestUs }) => (firstUs ?? 0) > 0 && (firstLargestUs ?? 0) > 0),
  ).toBe(true);
  expect(answer.places.map(({ address }) => address)[0]).not.toBe(answer.places[1]?.address);
  expect(code).toBe(0);
});
