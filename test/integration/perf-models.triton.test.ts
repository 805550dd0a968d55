import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireError } from '../../main/contract/errors';
import { type LoadPoint, loadPointSchema } from '../../main/contract/measured/results';
import { protocols } from '../../main/contract/run/run-spec';
import { createTritonClient } from '../../main/triton/client';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';
import { undisturbed } from '../support/undisturbed';

let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([
    { name: 'fast', execute: 'return values.copy()', maxBatchSize: 8 },
    // Long enough that its counters cannot be taken for the other model's.
    { name: 'slow', execute: 'time.sleep(0.02)\n        return values.copy()', maxBatchSize: 8 },
    { name: 'failing', execute: 'raise ValueError("refused on purpose")', maxBatchSize: 8 },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

const perf = (...args: string[]) =>
  cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress],
    ...['--measurement-interval-ms', '400', '--warmup-ms', '100', '--max-trials', '4', '--json', ...args],
  );

async function successes(model: string): Promise<number> {
  const [statistics] = await createTritonClient(triton.httpAddress).modelStatistics(model, '1');
  return statistics?.success.count ?? 0;
}

describe('several models at once', () => {
  it.each(protocols)('have a result each, with the counters of their own, over %s', async (protocol) => {
    const before = [await successes('fast'), await successes('slow')];
    const result = await perf(
      ...['--model', 'fast:2', '--model', 'slow', '--protocol', protocol],
      ...['--concurrency', '1,2', '--stability-percentage', '200'],
    );
    expect(result.code).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map((point) => [point.model, point.concurrency, point.together])).toEqual([
      ['fast', 2, [{ model: 'slow', batchSize: 1, concurrency: 1 }]],
      ['slow', 1, [{ model: 'fast', batchSize: 1, concurrency: 2 }]],
      ['fast', 4, [{ model: 'slow', batchSize: 1, concurrency: 2 }]],
      ['slow', 2, [{ model: 'fast', batchSize: 1, concurrency: 4 }]],
    ]);
    for (const point of points) {
      expect(loadPointSchema.safeParse(point).error).toBeUndefined();
      expect(point.errorCount).toBe(0);
      // The server's column of the one model that sleeps, and of it alone.
      if (point.model === 'slow') expect(point.serverComputeInferUs).toBeGreaterThan(19_000);
      else expect(point.serverComputeInferUs).toBeLessThan(19_000);
    }
    for (const [index, model] of ['fast', 'slow'].entries()) {
      const sent = points.reduce(
        (sum, point) => sum + (point.model === model ? (point.requestCount ?? 0) : 0),
        0,
      );
      expect((await successes(model)) - (before[index] ?? 0)).toBeGreaterThanOrEqual(sent);
    }
  });

  it('are all under load as long as any of them is measured', async () => {
    const result = await perf(
      // No window is like another to this: all of both are taken.
      ...['--model', 'fast', '--model', 'slow', '--stability-percentage', '0.0001'],
    );
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    const [fast, slow] = points;
    expect(fast?.windows.length).toBeGreaterThanOrEqual(4);
    expect(slow?.windows.length).toBeGreaterThanOrEqual(4);
    for (const window of [...(fast?.windows ?? []), ...(slow?.windows ?? [])])
      expect(window.requestCount).toBeGreaterThan(0);
  });

  it('by request rate have the rate times their weight', async () => {
    const result = await undisturbed(() =>
      perf('--model', 'fast', '--model', 'slow:0.5', '--request-rate', '40'),
    );
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map((point) => [point.model, point.requestRate])).toEqual([
      ['fast', 40],
      ['slow', 20],
    ]);
    for (const { inferencesPerSecond, requestRate = 0 } of points) {
      expect(inferencesPerSecond).toBeGreaterThan(0.5 * requestRate);
      expect(inferencesPerSecond).toBeLessThan(1.5 * requestRate);
    }
  });

  it('give nothing when one of them fails, which is named', async () => {
    const result = await perf('--model', 'fast', '--model', 'failing');
    expect(result.code).not.toBe(0);
    const { points, missing } = JSON.parse(result.stdout) as {
      points: LoadPoint[];
      missing: { error: WireError }[];
    };
    expect(points).toEqual([]);
    expect(missing[0]?.error).toMatchObject({ code: 'inference-failed' });
    expect(missing[0]?.error.message).toContain('failing');
    expect(missing[0]?.error.message).toContain('refused on purpose');
  });

  it.each([
    [
      'perf_analyzer',
      ['--model', 'fast', '--model', 'slow', '--load-tool', 'perf_analyzer'],
      'one model at a time',
    ],
    ['the same twice', ['--model', 'fast', '--model', 'fast'], 'Model fast is given twice'],
    ['a version', ['--model', 'fast', '--model', 'slow', '--model-version', '1'], 'one model only'],
    ['no weight', ['--model', 'fast:0'], 'NAME:weight'],
  ])('are refused with %s', async (_what, args, words) => {
    const result = await perf(...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr + result.stdout).toContain(words);
  });
});
