import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import { createTritonClient } from '../../main/triton/client';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([{ name: 'echo', execute: 'return values.copy()', maxBatchSize: 8 }]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

async function counted(): Promise<number> {
  const [statistics] = await createTritonClient(triton.httpAddress).modelStatistics('echo');
  return (statistics?.success.count ?? 0) + (statistics?.fail.count ?? 0);
}

describe('perf --request-count', () => {
  it.each([
    ['native', ['-i', 'grpc'], 20],
    ['native', ['-i', 'http', '--concurrency', '8'], 20],
    ['native', ['--request-rate', '40'], 20],
    ['native', ['--warmup-request-count', '7', '--concurrency', '3'], 27],
    ['perf_analyzer', ['-i', 'http'], 20],
    ['perf_analyzer', ['-i', 'grpc', '--warmup-request-count', '7'], 27],
  ])('%s sends and measures exactly so many: %s', async (tool, more, sent) => {
    const before = await counted();
    const result = await cli(
      home.path,
      ...['perf', '-m', 'echo', '-u', triton.httpAddress, '--grpc-url', triton.grpcAddress],
      ...['--load-tool', tool, '--request-count', '20', ...more, '--json'],
    );
    expect(result.code, result.stderr).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points).toMatchObject([{ requestCount: 20, errorCount: 0, stable: true }]);
    expect((await counted()) - before).toBe(sent);
  });
});

describe('resume --again', () => {
  it.each(['native', 'perf_analyzer'])(
    '%s measures a level of 20 requests again with 700, and the other level not at all',
    async (tool) => {
      const addresses = ['-u', triton.httpAddress, '--grpc-url', triton.grpcAddress];
      const measured = await cli(
        home.path,
        ...['perf', '-m', 'echo', ...addresses, '--load-tool', tool, '--request-count', '20'],
        // The answer is the larger batch, whatever the noise.
        ...['--batch-sizes', '1,8', '--stability-percentage', '100'],
      );
      expect(measured.code, measured.stderr).toBe(0);
      const runId = /^Run (\S+)$/m.exec(measured.stdout)?.[1] ?? '';
      // The answer, and how to make it surer.
      expect(measured.stdout).toContain(
        '! p99 is based on only 20 requests: a reliable p99 needs 500 or more.',
      );
      expect(measured.stdout).toContain(`: triton-workbench resume ${runId} --again`);
      const planned = await cli(home.path, 'resume', runId, '--again', '--dry-run');
      expect(planned.stdout).toMatch(/in windows 35 times as long/);
      const before = await counted();
      const again = await cli(home.path, 'resume', runId, '--again');
      expect(again.code, again.stderr).toBe(0);
      expect((await counted()) - before).toBe(700);
      expect(again.stdout).not.toContain('p99 is based on only');
      const shown = await cli(home.path, 'show', runId, '--json');
      const { offline, online } = JSON.parse(shown.stdout) as Record<'offline' | 'online', LoadPoint[]>;
      expect([...offline, ...online]).toMatchObject([
        { batchSize: 1, requestCount: 20 },
        { batchSize: 8, requestCount: 700, longer: 35 },
      ]);
      // Both measurements of the level are on record.
      const journal = await readFile(join(home.path, 'runs', runId, 'journal.jsonl'), 'utf8');
      expect(journal.match(/"type":"measurement"/g)).toHaveLength(3);
    },
  );

  it('is refused where no level is in doubt', async () => {
    const measured = await cli(
      home.path,
      ...['perf', '-m', 'echo', '-u', triton.httpAddress, '--grpc-url', triton.grpcAddress],
      ...['--request-count', '600', '--json'],
    );
    const { runId } = JSON.parse(measured.stdout) as { readonly runId: string };
    const refused = await cli(home.path, 'resume', runId, '--again');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('This run has no inconclusive level');
  });
});
