import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPointSchema } from '../../main/contract/measured/results';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { startTestTriton, type TestTriton } from '../support/triton';
import { undisturbed } from '../support/undisturbed';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });

let triton: TestTriton;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-open-loop-'));
  await writeFile(join(dir, '0.bin'), Buffer.alloc(64));
  triton = await startTestTriton([
    { name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 },
    {
      name: 'slow',
      execute: `time.sleep(0.02)
        return values.copy()`,
      maxBatchSize: 0,
    },
    {
      name: 'limited',
      execute: `time.sleep(0.02)
        return values.copy()`,
      maxBatchSize: 1,
      config: 'dynamic_batching { default_queue_policy { max_queue_size: 4 } }',
    },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

async function rateOf(
  model: string,
  requestRate: number,
  change: Partial<Omit<MeasureInput, 'settings'>> & { settings?: Partial<MeasureInput['settings']> } = {},
): Promise<MeasureInput> {
  const { settings, ...rest } = change;
  return {
    httpAddress: triton.httpAddress,
    grpcAddress: triton.grpcAddress,
    protocol: 'grpc',
    modelName: model,
    modelVersion: '1',
    inputData: {
      source: 'zero',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [16], files: ['0.bin'] }],
    },
    inputDataDir: dir,
    level: { batchSize: 1, concurrency: 64, requestRate },
    batched: false,
    settings: {
      measurementMode: 'time_windows',
      measurementIntervalMs: 1000,
      measurementRequestCount: 50,
      stabilityPercentage: 1e6,
      maxTrials: 3,
      warmupMs: 300,
      ...settings,
    },
    workDir: await mkdtemp(join(dir, 'work-')),
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
    ...rest,
  };
}

describe.each(['grpc', 'http'] as const)('requests at a rate over %s', (protocol) => {
  it('shows a server that stands still for a second in the latency from the schedule', async () => {
    const held = { timer: undefined as NodeJS.Timeout | undefined };
    const input = await rateOf('echo', 200, {
      protocol,
      // So few that most requests of that second can not even be sent.
      level: { batchSize: 1, concurrency: 4, requestRate: 200 },
      settings: { measurementIntervalMs: 2000 },
      onWindow: (_window, index) => {
        if (index !== 0) return;
        process.kill(triton.pid, 'SIGSTOP');
        held.timer = setTimeout(() => process.kill(triton.pid, 'SIGCONT'), 1000);
      },
    });
    const point = await tools.native.measure(input);
    clearTimeout(held.timer);
    loadPointSchema.parse(point);
    // A thirtieth of the requests of six seconds waited longer than 0.8 s: more than a hundredth.
    expect(point.scheduled?.p99Us).toBeGreaterThan(800_000);
    expect(point.scheduled?.maxUs).toBeGreaterThan(950_000);
    // The four that were under way are less than a hundredth: the latency from the send hides what happened.
    expect(point.p99Us).toBeLessThan(800_000);
    expect(point.scheduled?.delayedCount).toBeGreaterThan(100);
    expect(point.errorCount).toBe(0);
  });

  it('sends as many as were asked for', async () => {
    const point = await undisturbed(async () =>
      tools.native.measure(
        await rateOf('echo', 150, { protocol, settings: { requestDistribution: 'poisson' } }),
      ),
    );
    expect(point).toMatchObject({ requestRate: 150, requestDistribution: 'poisson', errorCount: 0 });
    // Three seconds of a Poisson process: 450 requests, 21 standard deviation. A busy machine makes the windows longer, in
    // which more are sent.
    expect(point.inferencesPerSecond).toBeGreaterThan(340 / 3);
    expect(point.inferencesPerSecond).toBeLessThan(560 / 3);
    expect(point.flags).not.toContain('rate-not-reached');
  });
});

describe('a rate', () => {
  it('above what the server can do is flagged', async () => {
    const point = await tools.native.measure(
      await rateOf('slow', 200, { level: { batchSize: 1, concurrency: 8, requestRate: 200 } }),
    );
    expect(point.flags).toContain('rate-not-reached');
    expect(point.scheduled?.p99Us).toBeGreaterThan(point.p99Us);
    // It queues without end, which longer windows would only make worse.
    expect(point.flags).toContain('over-saturated');
    expect(point.windows.length).toBeLessThan(3);
  });

  it.each(['grpc', 'http'] as const)(
    'above what a limited queue takes is refused in part, by time slice: %s',
    async (protocol) => {
      const point = await tools.native.measure(
        await rateOf('limited', 25, {
          ...{ protocol, batched: true, level: { batchSize: 1, concurrency: 64, requestRate: 25 } },
          settings: { stages: ['1x:1s', '6x:1s', '1x:1500ms'], sliceDurationS: 0.5, warmupMs: 200 },
        }),
      );
      expect(loadPointSchema.safeParse(point).error).toBeUndefined();
      const { overload, refused, timeline, requestCount } = point;
      // 150 requests/s where fewer than 50 are answered.
      expect(overload).toMatchObject({ factor: 6, errorShare: 0, endless: false });
      expect(overload?.refusedShare).toBeGreaterThan(0.5);
      // On a busy machine it answers few.
      expect(overload?.refusedShare).toBeLessThan(1);
      expect(point.errorCount).toBe(0);
      expect(point).not.toHaveProperty('errorsByKind');
      expect(point.flags).toContain('refused');
      expect(refused).toMatchObject({ timeout: 0, cancelled: 0 });
      const due = (timeline?.slices ?? []).reduce((sum, slice) => sum + slice.due, 0);
      expect(due).toBe(212);
      expect((requestCount ?? 0) + (refused?.queueFull ?? 0)).toBe(due);
    },
  );

  it.each(['grpc', 'http'] as const)('may be cancelled in part, which is no error: %s', async (protocol) => {
    const point = await tools.native.measure(
      await rateOf('slow', 20, {
        protocol,
        settings: { requestCount: 40, requestCancellationRate: 50, requestCancellationDelayS: 0.005 },
      }),
    );
    const cancelled = point.refused?.cancelled ?? 0;
    expect(cancelled).toBeGreaterThan(8);
    expect(cancelled).toBeLessThan(32);
    expect(point).toMatchObject({ requestCount: 40 - cancelled, errorCount: 0 });
  });

  it('can follow intervals of its own', async () => {
    const settings = { requestIntervalsUs: [1000, 1000, 28_000] };
    const point = await undisturbed(async () =>
      tools.native.measure(await rateOf('echo', 100, { settings })),
    );
    expect(point.requestDistribution).toBe('custom');
    // By the time that it took: a busy machine makes the windows longer, in which more are sent.
    expect(point.inferencesPerSecond).toBeGreaterThan(250 / 3);
    expect(point.inferencesPerSecond).toBeLessThan(350 / 3);
  });

  it.each([
    ['poisson', { requestDistribution: 'poisson' as const }],
    ['custom', { requestIntervalsUs: [5000, 15_000] }],
  ])('is measured by perf_analyzer too: %s', async (name, settings) => {
    const point = await undisturbed(async () =>
      tools.perf_analyzer.measure(await rateOf('echo', 100, { settings })),
    );
    loadPointSchema.parse(point);
    expect(point).toMatchObject({ loadTool: 'perf_analyzer', requestRate: 100, requestDistribution: name });
    expect(point.inferencesPerSecond).toBeGreaterThan(60);
    expect(point.inferencesPerSecond).toBeLessThan(140);
  });

  it('of parts of a microsecond is refused for perf_analyzer, which would round them', async () => {
    const input = await rateOf('echo', 100, { settings: { requestIntervalsUs: [9999.5, 10_000.5] } });
    await expect(tools.perf_analyzer.measure(input)).rejects.toMatchObject({
      code: 'input-invalid',
      message: expect.stringContaining('9999.5') as string,
    });
  });
});

it.each(['native', 'perf_analyzer'] as const)(
  '%s measures a level of a number of requests once',
  async (tool) => {
    const point = await tools[tool].measure(
      await rateOf('echo', 500, {
        level: { batchSize: 1, concurrency: 4 },
        settings: { requestCount: 2000 },
      }),
    );
    expect(loadPointSchema.safeParse(point).error).toBeUndefined();
    expect(point.windows).toHaveLength(1);
    expect(point.requestCount).toBeGreaterThanOrEqual(2000);
  },
);
