import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importedFileOf, performanceOf, serverLoadOf } from '../../../main/contract/run/run-source';
import { askedLoads } from '../../../main/domain/measured/points';
import { toReport } from '../../../main/reports/to-report';
import { importRun } from '../../../main/store/import-run';
import { runFolder } from '../../../main/store/run-folder';
import { createTestHome, type TestHome } from '../../support/home';
import { environmentFixture, pointFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';
import { serverLoadFixture } from '../../support/server-load';

/** As commit 087b191a wrote them: with a specification that nobody had chosen. The key is that of their home. */
const written = join(import.meta.dirname, '..', '..', 'fixtures', 'placeholder-journals');
const server = '20261128-092406-bert-perf-ceb4ba';
const imported = '20261128-092406-bert-large-imported-bd645c';

let home: TestHome;
beforeEach(async () => {
  home = await createTestHome([]);
  await cp(written, home.path, { recursive: true });
});
afterEach(() => home.remove());

const open = () => runStore(home.path, join(home.path, 'run-key'));
const firstRecord = async (dir: string): Promise<Record<string, unknown>> =>
  JSON.parse((await readFile(runFolder(dir).journal, 'utf8')).split('\n')[0] ?? '') as Record<
    string,
    unknown
  >;

describe('a journal with a placeholder for a specification', () => {
  it('holds one', async () => {
    for (const runId of [server, imported])
      expect(await firstRecord(join(home.path, runId))).toHaveProperty('spec.configure');
  });

  it('of a measured server is read without it, and is still of its home', async () => {
    const { state } = await open().load(server);
    const load = serverLoadFixture();
    expect(state).toMatchObject({ origin: 'own', status: 'paused', source: { kind: 'server', load } });
    expect(JSON.stringify(state)).not.toContain('instanceKind');
    expect(state.steps).toMatchObject([{ id: 'online', status: 'waiting' }]);
    expect(askedLoads(state, 'online')).toEqual(load.levels);
    expect(performanceOf(state)).toMatchObject({ loadTool: 'native', concurrency: [1, 2], batchSizes: [1] });
    expect(state.scenarios.online.points.map(({ point }) => point.concurrency)).toEqual([1]);
  });

  it('of figures from a file keeps the name of the model alone', async () => {
    const { state } = await open().load(imported);
    expect(state).toMatchObject({ origin: 'own', source: { kind: 'imported', model: 'bert-large' } });
    expect(JSON.stringify(state)).not.toContain('instanceKind');
    expect(importedFileOf(state)?.notes).toEqual(['Batch size 1 is assumed.']);
    expect(performanceOf(state)).toBeNull();
    const report = toReport(state, { generatedAt: '2026-11-28T09:00:00.000Z' });
    expect([report.title, report.parameters]).toEqual(['bert-large · imported', []]);
    expect(report.scenarios[0]?.rows.map(({ concurrency }) => concurrency)).toEqual([2, 4]);
  });

  it('has the row in the list that it had', async () => {
    const { runs } = await open().list();
    const rowOf = (runId: string) => runs.find((row) => row.runId === runId);
    expect(rowOf(imported)).toMatchObject({ preset: 'bert-large', format: 'imported', engine: '–' });
    expect(rowOf(imported)?.imported).toBe('perf_analyzer, CSV');
    expect(rowOf(server)).toMatchObject({ preset: 'bert', format: 'as served', engine: 'remote' });
    expect(rowOf(server)?.onServer).toBe('localhost:8000');
  });
});

describe('a journal of today', () => {
  it('holds of a measured server its load, and of a file its name', async () => {
    const store = open();
    const load = serverLoadFixture({ models: [{ name: 'a/b c', weight: 1 }] });
    const { state, folder } = await store.createOfServer(load, environmentFixture());
    expect(state.runId).toMatch(/-a-b-c-perf-[0-9a-f]{6}$/);
    expect(Object.keys(await firstRecord(folder.dir)).sort()).toEqual(
      ['seq', 'at', 'type', 'runId', 'environment', 'onServer', 'seal', 'crc'].sort(),
    );
    expect(serverLoadOf(state)).toEqual(load);
    expect(state.origin).toBe('own');
    const file = { kind: 'perf-analyzer-csv' as const, fileName: 'a.csv', sha256: '0'.repeat(64) };
    const source = { ...file, sizeBytes: 1, notes: [] };
    const runId = await importRun(store, { source, model: 'm', points: [pointFixture()] }, '1.0.0');
    const of = await store.load(runId);
    expect(Object.keys(await firstRecord(of.folder.dir)).sort()).toEqual(
      ['seq', 'at', 'type', 'runId', 'environment', 'imported', 'model', 'seal', 'crc'].sort(),
    );
    expect(of.state).toMatchObject({ origin: 'own', source: { kind: 'imported', file: source, model: 'm' } });
  });
});
