import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import { readProfileDocument } from '../../main/perf/import/profile-document';
import { someOf } from '../support/campaign';
import { startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([
    // Slower the more requests there are at once: a search for a limit of the latency comes to an end.
    { name: 'plain', execute: 'time.sleep(0.004); return values.copy()', maxBatchSize: 8 },
    { name: 'picture', execute: 'return values.copy()', maxBatchSize: 0, dims: '3, -1, -1' },
  ]);
  const data = [{ INPUT: Array.from({ length: 16 }, (_unused, index) => index) }];
  await writeFile(join(home.path, 'data.json'), JSON.stringify({ data }));
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

/** The line as it is typed, with the name of the command and the ports of the test's server; windows that the line does not set are short. */
function argumentsOf(line: string): readonly string[] {
  const words = line
    .replace('localhost:8000', triton.httpAddress)
    .replace('localhost:8001', triton.grpcAddress)
    .replace('localhost:8002', triton.metricsAddress)
    .split(' ')
    .slice(1);
  const given = (...names: string[]) => words.some((word) => names.includes(word));
  return [
    ...words,
    ...(given('-u') ? [] : ['-u', triton.httpAddress, '--grpc-url', triton.grpcAddress]),
    ...(given('-p') ? [] : ['-p', '200']),
    ...(given('-r') ? [] : ['-r', '3']),
    ...(given('--warmup-request-count', '--request-count') ? [] : ['--warmup-ms', '50']),
  ];
}

const lines = readFileSync('test/fixtures/perf-analyzer/lines.txt', 'utf8').trim().split('\n');

describe('a line for perf_analyzer', () => {
  it.each(someOf(lines))('%s', async (line) => {
    const run = startCli(home.path, ['perf', ...argumentsOf(line), '--json'], ['env', '-C', home.path]);
    const { code, stdout, stderr } = await run.result;
    expect(code, stderr).toBe(0);
    const { points, missing } = JSON.parse(stdout) as { points: LoadPoint[]; missing: unknown[] };
    expect(missing).toEqual([]);
    const [first] = points;
    expect(first?.inferencesPerSecond).toBeGreaterThan(0);
    if (line.includes('-i HTTP')) expect(first).toMatchObject({ protocol: 'http', batchSize: 4 });
    if (line.includes('-i grpc')) expect(first?.protocol).toBe('grpc');
    if (line.includes('--percentile')) expect(first?.percentile).toMatchObject({ percent: 95 });
    if (line.includes('--request-count')) expect(first?.requestCount).toBe(20);
    if (line.includes('-t 4')) expect(points.map(({ concurrency }) => concurrency)).toEqual([4]);
    if (line.includes('-c 2')) expect(points.map(({ concurrency }) => concurrency)).toEqual([1, 2]);
    if (line.includes('-v')) expect(stderr).toContain('No effect here: ');
    if (line.includes('1:0')) {
      // One after the other, until the first beyond the limit.
      const levels = points.map(({ concurrency }) => concurrency);
      expect(levels).toEqual(levels.map((_level, index) => index + 1));
      expect(points.at(-1)?.p99Us).toBeGreaterThan(50_000);
    }
    if (line.includes('--profile-export-file')) {
      const [experiment] = readProfileDocument(await readFile(join(home.path, 'profile.json'), 'utf8'), 'p');
      const counted = points.flatMap(({ windows }) => windows.map((window) => window.requestCount ?? 0));
      expect(experiment?.requests).toHaveLength(counted.reduce((sum, count) => sum + count));
    }
  });
});
