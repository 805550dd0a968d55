import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseCaptureCsv } from '../../../main/perf/import/parse-capture-csv';
import { importRun } from '../../../main/store/import-run';
import { JournalWriter } from '../../../main/store/journal';
import { runStore } from '../../support/run-store';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'import-run-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

const header = 'Concurrency,Inferences/Second,p50 latency,p90 latency,p95 latency,p99 latency';
const rows = (count: number) =>
  Array.from({ length: count }, (_unused, index) => `${index + 1},100,1,2,3,4`).join('\n');

describe('an import of many levels', () => {
  it('reads the journal as often as one of a single level', async () => {
    const opened = vi.spyOn(JournalWriter, 'open');
    const store = runStore(dir);
    const openings = async (count: number): Promise<number> => {
      const { points } = parseCaptureCsv(`${header}\n${rows(count)}`, { fileName: 'a.csv', batchSize: 1 });
      const kind = 'perf-analyzer-csv' as const;
      const source = { kind, fileName: 'a.csv', sha256: '0'.repeat(64), sizeBytes: 1, notes: [] };
      opened.mockClear();
      const runId = await importRun(store, { source, model: 'm', points }, '1.0.0');
      const { state, folder } = await store.load(runId);
      expect(state.status).toBe('done');
      expect((await readFile(folder.journal, 'utf8')).trim().split('\n')).toHaveLength(count + 2);
      return opened.mock.calls.length;
    };
    const one = await openings(1);
    expect(await openings(200)).toBe(one);
  });
});
