import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoadPoint, loadPointSchema } from '../../main/contract/measured/results';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
let seen: string;
const path = (name: string) => join(home.path, name);

beforeAll(async () => {
  home = await createTestHome();
  seen = path('seen.txt');
  triton = await startTestTriton([
    {
      name: 'recorder',
      // When a request came, its items, and which entry of the input data it has first.
      execute: `with open(${JSON.stringify(seen)}, "a") as file:
            file.write(f"{time.time_ns()} {values.shape[0]} {values[0][0]}\\n")
        return values.copy()`,
      maxBatchSize: 8,
    },
  ]);
  const entry = (value: number, name?: string) => ({
    INPUT: Array.from({ length: 16 }, () => value),
    ...(name === undefined ? {} : { class: name }),
  });
  const data = [entry(0), entry(1, 'short'), entry(2), entry(3, 'short')];
  await writeFile(path('input.json'), JSON.stringify({ data }));
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

const perf = (...args: string[]) =>
  cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress, '--json'],
    ...['--model', 'recorder', '--input-data', path('input.json'), '--warmup-ms', '0', ...args],
  );

/** A burst, a pause, requests one after the other, and another burst: seconds. */
const times = [
  ...Array.from({ length: 20 }, () => 0),
  ...Array.from({ length: 20 }, (_unused, index) => 2 + index / 10),
  ...Array.from({ length: 20 }, () => 6),
];
const sizeOf = (index: number) => 1 + (index % 4);

interface Arrival {
  readonly atS: number;
  readonly size: number;
  readonly entry: number;
}

async function arrivals(): Promise<readonly Arrival[]> {
  const rows = (await readFile(seen, 'utf8')).trim().split('\n');
  const read = rows.map((row) => row.split(' ').map(Number));
  const first = Math.min(...read.map(([ns = 0]) => ns));
  return read
    .map(([ns = 0, size = 0, entry = -1]) => ({ atS: (ns - first) / 1e9, size, entry }))
    .sort((a, b) => a.atS - b.atS);
}

describe('a replayed trace', () => {
  it('reaches the server at its times, with its sizes and inputs, and is kept without anything else', async () => {
    await rm(seen, { force: true });
    const rows = times.map((at, index) =>
      [
        new Date(Date.UTC(2026, 2, 1) + at * 1000).toISOString(),
        ...[sizeOf(index), index === 3 ? 2 : '', index >= 40 ? 'short' : '', 'secret prompt'],
      ].join(','),
    );
    await writeFile(path('trace.csv'), `timestamp,size,entry,class,prompt\n${rows.join('\n')}\n`);
    const result = await perf('--replay', path('trace.csv'), '--speed', '2', '--csv', path('levels.csv'));
    expect(result.stderr).not.toContain('secret');
    expect(result.code).toBe(0);
    const { points, runId } = JSON.parse(result.stdout) as { points: LoadPoint[]; runId: string };
    const [point] = points;
    expect(loadPointSchema.safeParse(point).error).toBeUndefined();
    expect(point).toMatchObject({
      ...{ requestDistribution: 'replay', requestCount: 60, errorCount: 0, stable: true, requestRate: 20 },
      replay: { requests: 60, seconds: 3, peakRate: 20, speed: 2, meanBatchSize: 2.5, largestBatchSize: 4 },
    });
    expect(point?.scheduled).toBeDefined();
    expect(point?.flags).not.toContain('rate-not-reached');

    const found = await arrivals();
    expect(found).toHaveLength(60);
    const late = found.map(({ atS }, index) => atS - (times[index] ?? 0) / 2);
    // None comes before its time; the first of all may itself have been late.
    expect(Math.min(...late)).toBeGreaterThan(-0.25);
    expect(late.sort((a, b) => a - b)[30]).toBeLessThan(0.25);
    const items = (list: readonly number[]) => [...list].sort((a, b) => a - b);
    expect(items(found.map(({ size }) => size))).toEqual(items(times.map((_at, index) => sizeOf(index))));
    expect(new Set(found.slice(40).map(({ entry }) => entry))).toEqual(new Set([1, 3]));

    const dir = join(home.path, 'runs', runId);
    const kept = await readFile(join(dir, 'steps', 'online', 'replay.csv'), 'utf8');
    expect(kept.split('\n').slice(0, 2)).toEqual(['timestamp_us,size,entry,class', '0,1,,']);
    expect(kept).not.toContain('secret');
    expect(await readFile(join(dir, 'journal.jsonl'), 'utf8')).not.toContain('secret');
    const text = 'replayed 60 requests of 3.0 s, mean 20.00 requests/s, peak 20 in 1 s';
    expect(result.stderr).toContain(text);
    expect(await readFile(path('levels.csv'), 'utf8')).toContain(text);
  });

  it('sends a part of it, whose requests count from the start of the part', async () => {
    await rm(seen, { force: true });
    await writeFile(path('part.csv'), times.map(String).join('\n'));
    const result = await perf('--replay', path('part.csv'), '--from', '1', '--to', '5s');
    expect(result.code).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points[0]).toMatchObject({
      requestCount: 20,
      replay: { requests: 20, peakRate: 10, fromS: 1, toS: 5, meanBatchSize: 1 },
    });
    expect(await arrivals()).toHaveLength(20);
  });

  it.each([
    [['--request-rate', '10'], 'cannot be used together', '--request-rate'],
    [['--load-tool', 'perf_analyzer'], 'perf_analyzer cannot replay a trace', '--load-tool'],
  ])('is refused with %s', async (args, message, where) => {
    const result = await perf('--replay', path('part.csv'), ...args);
    expect(result.code).toBe(2);
    expect(JSON.parse(result.stdout)).toMatchObject({
      error: { message: expect.stringContaining(message) as string, where },
    });
  });

  it('is refused with the line that is wrong, and a part without a trace too', async () => {
    await writeFile(path('bad.csv'), 'timestamp\n1\nsecret\n');
    const bad = await perf('--replay', path('bad.csv'));
    expect(bad.code).toBe(2);
    expect(bad.stdout).toContain('bad.csv, line 3');
    expect(bad.stdout).not.toContain('secret');
    const alone = await perf('--speed', '2');
    expect(alone.code).toBe(2);
    expect(alone.stdout).toContain('Name the file with the trace');
  });
});
