import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { CrossLevel } from '../../main/domain/measured/cross-check';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

const batching = { name: 'echo', execute: 'return values.copy()', maxBatchSize: 8, outputElements: 16 };
/** Refuses every request. */
const failing = { name: 'failing', execute: 'raise ValueError("refused on purpose")', maxBatchSize: 8 };

let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([batching, failing]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

interface Document {
  readonly points: readonly LoadPoint[];
  readonly missing: readonly { readonly loadTool: string; readonly repeat: number }[];
  readonly crossCheck: { readonly summary: string; readonly levels: readonly CrossLevel[] };
}

async function crossed(
  ...args: string[]
): Promise<{ code: number | null; document: Document; said: string }> {
  const result = await cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress, '--cross-check'],
    ...['--measurement-interval-ms', '250', '--warmup-ms', '100', '--max-trials', '3', '--json', ...args],
  );
  return { code: result.code, document: JSON.parse(result.stdout) as Document, said: result.stderr };
}

describe('perf --cross-check against a real Triton', () => {
  it('measures with both tools in turns and compares every column', async () => {
    const { code, document } = await crossed('--model', 'echo', '--concurrency', '1,2', '--repeats', '2');
    expect(code).toBe(0);
    expect(document.points.map((point) => [point.repeat, point.concurrency, point.loadTool])).toEqual([
      [1, 1, 'native'],
      [1, 1, 'perf_analyzer'],
      [1, 2, 'native'],
      [1, 2, 'perf_analyzer'],
      [2, 1, 'perf_analyzer'],
      [2, 1, 'native'],
      [2, 2, 'perf_analyzer'],
      [2, 2, 'native'],
    ]);
    const { levels } = document.crossCheck;
    expect(levels.map(({ measured }) => measured)).toEqual([
      { native: 2, perf_analyzer: 2 },
      { native: 2, perf_analyzer: 2 },
    ]);
    for (const level of levels) {
      for (const column of level.columns) {
        // Both tools give every column; that of the CPU needs two windows at different times.
        expect([column.id, column.native?.values.length]).toEqual([column.id, 2]);
        if (column.id !== 'client-cpu')
          expect([column.id, column.perf_analyzer?.values.length]).toEqual([column.id, 2]);
      }
    }
  });

  it('shows a level that no tool could measure as failed, in every round', async () => {
    const { code, document, said } = await crossed('--model', 'failing', '--repeats', '1');
    expect(code).toBe(1);
    expect(document.points).toEqual([]);
    expect(document.missing.map(({ loadTool, repeat }) => [loadTool, repeat])).toEqual([
      ['native', 1],
      ['perf_analyzer', 1],
    ]);
    expect(document.crossCheck.levels[0]?.failed.map(({ message }) => message).join(' ')).toContain(
      'refused on purpose',
    );
    expect(said).toContain('perf_analyzer, batch size 1, concurrency 1: no result');
  });

  it('refuses a search', async () => {
    const { code } = await crossed('--model', 'echo', '--search', 'binary', '--latency-threshold', '10');
    expect(code).toBe(2);
  });
});
