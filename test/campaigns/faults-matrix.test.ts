import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { StudySummary } from '../../main/contract/study/study';
import type { matrixDocument } from '../../main/domain/measured/matrix';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { printRow } from '../support/campaign';
import { cli, type CliResult, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleQueueDelayUs } from '../support/little-model';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const documentIn = ({ stdout }: CliResult) => JSON.parse(stdout) as ReturnType<typeof matrixDocument>;

describe('a matrix of six runs', () => {
  const levels = 4;
  const keysOf = async (runId: string) =>
    (await readJournal(runFolder(join(home.path, 'runs', runId)).journal)).entries.flatMap((entry) =>
      entry.type === 'measurement' ? [entry.key] : [],
    );
  const listed = async () =>
    JSON.parse((await cli(home.path, 'studies', '--json')).stdout) as readonly StudySummary[];
  const runsOf = async () => {
    const { runs } = JSON.parse((await cli(home.path, 'runs', '--json')).stdout) as {
      runs: { runId: string; status: string; matrix?: { name: string } }[];
    };
    return runs.filter(({ matrix }) => matrix?.name === 'six');
  };

  it('that is killed with -9 again and again, and resumed, has each run and each level once', async () => {
    const file = join(home.path, 'six.yaml');
    await writeFile(
      file,
      stringify({
        name: 'six',
        // One export for all: the cache has it for the runs behind the first one.
        matrix: {
          'performance.measurementIntervalMs': [200, 210, 220],
          'performance.stabilityPercentage': [999, 1000],
        },
        profile: 'quick',
        model: { args: { train_images: '20', val_images: '4', train_epochs: '1' } },
        accuracy: { thresholds: { top1: 0 } },
        configure: { maxQueueDelayUs: Number(littleQueueDelayUs) },
        performance: { batchSizes: [1, 2], concurrency: [1, 2], maxTrials: 3, warmupMs: 100 },
      }),
    );
    const args = ['run', 'resnet50', '--matrix', file, '--json'];
    for (const [at, [line, resume]] of (
      [
        [/^2 of 6: /, []],
        [/^Run .*/, ['--resume']],
        [/ {4}offline: batch size 2/, ['--resume']],
      ] as const
    ).entries()) {
      const started = startCli(home.path, [...args, ...resume]);
      await started.line(line);
      started.child.kill('SIGKILL');
      await started.result;
      expect((await listed()).find(({ name }) => name === 'six')).toMatchObject({
        ...{ state: 'paused', interrupted: true, runs: 6 },
      });
      if (at === 0) expect((await runsOf()).map(({ status }) => status)).toContain('done');
    }
    const resumed = startCli(home.path, ['studies', 'resume', 'six', '--json']);
    const result = await resumed.result;
    expect([result.code, documentIn(result).summary]).toEqual([0, '6 of 6 runs complete']);
    const runs = await runsOf();
    const counts = await Promise.all(runs.map(async ({ runId }) => (await keysOf(runId)).length));
    const measured = counts.reduce((sum, count) => sum + count, 0);
    await printRow({
      what: 'a matrix of six runs killed with -9 and resumed',
      trials: 3,
      result: `${runs.length} of 6 runs, ${measured} of ${6 * levels} levels in their journals`,
    });
    expect(runs.map(({ status }) => status)).toEqual(Array(6).fill('done'));
    for (const { runId } of runs) {
      const keys = await keysOf(runId);
      expect([keys.length, new Set(keys).size]).toEqual([levels, levels]);
    }
    expect((await listed()).find(({ name }) => name === 'six')).toMatchObject({ state: 'done', complete: 6 });
  });

  it('is removed with its runs, which are in the trash then', async () => {
    const refused = await cli(home.path, 'studies', 'remove', 'six', '--with-runs');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('its 6 runs (')]);
    expect((await cli(home.path, 'studies', 'remove', 'six', '--with-runs', '--yes')).code).toBe(0);
    expect(await runsOf()).toEqual([]);
    expect(await listed()).toEqual([]);
    expect((await cli(home.path, 'studies', 'show', 'six')).code).toBe(2);
  });
});
