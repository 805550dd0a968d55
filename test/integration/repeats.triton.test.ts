import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrossLevel } from '../../main/domain/measured/cross-check';
import { homeLayout } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, documentOf, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

const set = (field: string, value: string) => ['--set', `performance.${field}=${value}`];

async function measurements(runId: string) {
  const { entries } = await readJournal(runFolder(join(homeLayout(home.path).runs, runId)).journal);
  return entries.flatMap((entry) => (entry.type === 'measurement' ? [entry] : []));
}

describe('a run that repeats and cross-checks its levels', () => {
  it('goes on after kill -9 and measures nothing twice', async () => {
    const started = startCli(home.path, [
      ...['run', 'resnet50', '--profile', 'quick', '--json', '--verbose', '--batch-sizes', '1,2'],
      ...['--concurrency', '2', '--measurement-interval-ms', '300', ...set('maxTrials', '3')],
      ...[...set('warmupMs', '100'), '--repeats', '3', '--cross-check'],
      ...set('stabilityPercentage', '80'),
      ...littleModel,
    ]);
    const runId = (await started.line(/^Run /)).slice('Run '.length);
    await started.line(/offline: batch size 1, concurrency 1, repeat 2/);
    started.child.kill('SIGKILL');
    await started.result;
    const before = await measurements(runId);

    const result = await cli(home.path, 'resume', runId, '--json');
    expect(result.code).toBe(0);
    const after = await measurements(runId);
    expect(after.slice(0, before.length)).toEqual(before);
    const turns = after.map(({ scenario, point }) => [
      scenario,
      point.batchSize,
      point.concurrency,
      point.repeat,
      point.loadTool,
    ]);
    const [native, analyzer] = ['native', 'perf_analyzer'];
    const levels = (round: number, tools: readonly unknown[]) =>
      [1, 2].flatMap((batch) => tools.map((tool) => ['offline', batch, 1, round, tool]));
    expect(turns).toEqual([
      ...levels(1, [native, analyzer]),
      ...levels(2, [analyzer, native]),
      ...levels(3, [native, analyzer]),
      ['online', 1, 2, 1, native],
      ['online', 1, 2, 1, analyzer],
      ['online', 1, 2, 2, analyzer],
      ['online', 1, 2, 2, native],
      ['online', 1, 2, 3, native],
      ['online', 1, 2, 3, analyzer],
    ]);

    // The report shows each level once, by the chosen tool, and every single measurement beside it.
    const json = documentOf(result).reports.find(({ kind }) => kind === 'json')?.path ?? '';
    const report = JSON.parse(await readFile(json, 'utf8')) as {
      offline: {
        points: { batchSize: number; repeats: { count: number } }[];
        measurements: unknown[];
        crossCheck: { levels: CrossLevel[] };
      };
    };
    expect(report.offline.points.map(({ batchSize, repeats }) => [batchSize, repeats.count])).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect(report.offline.measurements).toHaveLength(12);
    expect(report.offline.crossCheck.levels.map(({ measured }) => measured)).toEqual([
      { native: 3, perf_analyzer: 3 },
      { native: 3, perf_analyzer: 3 },
    ]);
    // Server columns come from one server: their verdict is decided either way, never left open.
    const queue = report.offline.crossCheck.levels[0]?.columns.find(({ id }) => id === 'queue');
    expect(['agrees', 'differs']).toContain(queue?.verdict);
  });
});
