import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoadPoint, loadPointSchema } from '../../main/contract/measured/results';
import { protocols } from '../../main/contract/run/run-spec';
import type { MeasureInput } from '../../main/perf/load-tool';
import { createLoadTools } from '../../main/perf/load-tools';
import { type MeasuredLevel, measureLevel } from '../../main/perf/native/level/measure-level';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { rejection } from '../support/rejection';
import { startTestTriton, type TestTriton } from '../support/triton';
import { until } from '../support/until';

const workerFile = join(process.cwd(), 'out', 'main', 'load-worker.cjs');
const tools = createLoadTools({ layout: homeLayout(defaultHome(process.env)), workerFile, env: process.env });

const sink = { name: 'sink', execute: 'return np.zeros([1])', maxBatchSize: 0 };
const echo = { name: 'echo', execute: 'return values.copy()', maxBatchSize: 0 };
/** What it has been asked is held against what was sent: nothing else asks it. */
const counted = { ...echo, name: 'counted' };
const failing = { name: 'failing', execute: 'raise ValueError("refused on purpose")', maxBatchSize: 0 };
/** Refuses every input that begins with 13. */
const picky = {
  name: 'picky',
  execute: `if values[0] == 13:
            raise ValueError("unlucky")
        return values.copy()`,
  maxBatchSize: 0,
};
const batching = { name: 'batching', execute: 'return values * 2', maxBatchSize: 8, dynamicBatching: true };

let triton: TestTriton;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-perf-'));
  triton = await startTestTriton([sink, echo, counted, failing, picky, batching]);
});
afterAll(async () => {
  await triton.stop();
  await rm(dir, { recursive: true, force: true });
});

/** A short level of `model`; each of `samples` is the first value of one sample, the others tell where they stand. */
async function levelOf(
  model: string,
  options: {
    readonly server?: TestTriton;
    readonly elements?: number;
    readonly samples?: readonly number[];
    readonly change?: Partial<MeasureInput>;
  } = {},
): Promise<MeasureInput> {
  const { server = triton, elements = 1024, samples = [1] } = options;
  const work = await mkdtemp(join(dir, `${model}-`));
  const files: string[] = [];
  for (const first of samples) {
    const values = Float32Array.from({ length: elements }, (_unused, index) => index % 8191);
    values[0] = first;
    files.push(`${files.length}.bin`);
    await writeFile(join(work, files.at(-1) ?? ''), Buffer.from(values.buffer));
  }
  return {
    httpAddress: server.httpAddress,
    grpcAddress: server.grpcAddress,
    protocol: 'grpc',
    modelName: model,
    modelVersion: '1',
    inputData: {
      source: 'random',
      tensors: [{ name: 'INPUT', datatype: 'FP32', shape: [elements], files }],
    },
    inputDataDir: work,
    level: { batchSize: 1, concurrency: 4 },
    batched: false,
    settings: {
      measurementMode: 'time_windows',
      measurementIntervalMs: 400,
      measurementRequestCount: 50,
      stabilityPercentage: 60,
      maxTrials: 6,
      warmupMs: 200,
    },
    workDir: work,
    signal: new AbortController().signal,
    onWindow: () => undefined,
    onLog: () => undefined,
    onCommand: () => undefined,
    ...options.change,
  };
}

/** Waits until the server counts no more: it counts a request when it releases it, which can be just after the answer. */
async function successes(model: string): Promise<number> {
  const client = createTritonClient(triton.httpAddress);
  for (let before = -1; ;) {
    const [statistics] = await client.modelStatistics(model, '1');
    const count = statistics?.success.count ?? 0;
    if (count === before) return count;
    before = count;
    await sleep(50);
  }
}

/** How many it has counted since, once it has counted as many as were sent: a standstill may lie between answer and count. */
async function countedSince(model: string, before: number, sent: number): Promise<number> {
  await until('the server has counted what was sent', async () => (await successes(model)) - before >= sent);
  return (await successes(model)) - before;
}

function expectWholePoint(point: LoadPoint): void {
  expect(loadPointSchema.safeParse(point).error).toBeUndefined();
  expect(point.inferencesPerSecond).toBeGreaterThan(0);
  expect(point.p50Us).toBeGreaterThan(0);
  expect(point.p90Us).toBeGreaterThanOrEqual(point.p50Us ?? NaN);
  expect(point.p95Us).toBeGreaterThanOrEqual(point.p90Us ?? NaN);
  expect(point.p99Us).toBeGreaterThanOrEqual(point.p95Us ?? NaN);
  expect(point.serverComputeInferUs).toBeGreaterThan(0);
  expect(point.requestCount).toBeGreaterThan(0);
  expect(point.windows.length).toBeGreaterThanOrEqual(3);
  expect(point.stable).toBe(!point.flags.includes('unstable'));
  const { networkServerSendRecvUs: networkUs, avgUs } = point;
  if (networkUs === null || avgUs === null) throw new Error('a column is missing');
  const parts = [
    point.clientSendUs,
    networkUs,
    point.serverQueueUs,
    point.serverComputeInputUs,
    point.serverComputeInferUs,
    point.serverComputeOutputUs,
    point.clientRecvUs,
  ].reduce<number>((sum, part) => sum + (part ?? NaN), 0);
  // perf_analyzer cuts each column down to whole microseconds.
  const rounding = point.loadTool === 'native' ? 0.01 : 7;
  if (networkUs > 0) expect(Math.abs(avgUs - parts)).toBeLessThanOrEqual(rounding);
}

describe.each(protocols)('native over %s', (protocol) => {
  it('gives every column, and the server counted exactly what it sent', async () => {
    const before = await successes('counted');
    const seen: number[] = [];
    const { point, totals } = await measureLevel(
      workerFile,
      await levelOf('counted', {
        samples: [1, 2, 3],
        change: { protocol, onWindow: (_window, index) => seen.push(index) },
      }),
    );
    expectWholePoint(point);
    expect(point).toMatchObject({
      loadTool: 'native',
      protocol,
      batchSize: 1,
      concurrency: 4,
      errorCount: 0,
    });
    expect(seen).toEqual(point.windows.map((_window, index) => index));
    expect(point.meanServerBatch).toBe(1);
    expect(totals.failures).toEqual([]);
    const inWindows = point.windows.reduce((sum, window) => sum + (window.requestCount ?? 0), 0);
    expect(totals.succeeded).toBeGreaterThan(inWindows);
    expect(await countedSince('counted', before, totals.succeeded)).toBe(totals.succeeded);
  });

  it('has in a window what the server counted between the two polls of its counters', async () => {
    const level = await levelOf('sink', { change: { protocol, level: { batchSize: 1, concurrency: 16 } } });
    const settings = { ...level.settings, maxTrials: 8, stabilityPercentage: 0.001 };
    let mostEqual = 0;
    // Where the server is held up between an answer and counting it, a window ends, and the next begins, where the clock put it.
    for (let tries = 0; tries < 3 && mostEqual < 5; tries += 1) {
      const { turns } = await measureLevel(workerFile, { ...level, settings });
      const differences = turns.windows.map(
        ({ summary, server }) => (server?.success.count ?? NaN) - (summary.requestCount ?? NaN),
      );
      expect(differences).toHaveLength(8);
      mostEqual = Math.max(mostEqual, differences.filter((difference) => difference === 0).length);
    }
    expect(mostEqual).toBeGreaterThanOrEqual(5);
  });

  it('moves large inputs and outputs through the flow control', async () => {
    const level = await levelOf('echo', {
      elements: 2 ** 20,
      samples: [1, 2, 3],
      change: { protocol, level: { batchSize: 1, concurrency: 8 } },
    });
    const expected = level.inputData.tensors.map((tensor) => ({ ...tensor, name: 'OUTPUT' }));
    const { point } = await measureLevel(workerFile, {
      ...level,
      inputData: { ...level.inputData, expected },
    });
    expectWholePoint(point);
    expect(point.errorCount).toBe(0);
    // Each is a piece of a connection's stream that was read to its place, byte for byte.
    expect(point.outputChecks?.comparedCount).toBeGreaterThanOrEqual(3);
    expect(point.outputChecks?.wrongCount).toBe(0);
  });

  it('measures a level in turns: one result of all its windows, and every request of every turn is counted', async () => {
    const before = await successes('counted');
    const level = await levelOf('counted', { change: { protocol } });
    let measured: MeasuredLevel | null = null;
    for (const maxTrials of [1, 2, 3]) {
      const settings = { ...level.settings, maxTrials };
      measured = await measureLevel(workerFile, { ...level, settings }, { earlier: measured?.turns ?? null });
      expect(measured.point.windows).toHaveLength(maxTrials);
    }
    if (measured === null) throw new Error('nothing was measured');
    const { point, totals } = measured;
    expectWholePoint(point);
    expect(point.requestCount).toBe(
      point.windows.reduce((sum, window) => sum + (window.requestCount ?? 0), 0),
    );
    expect(await countedSince('counted', before, totals.succeeded)).toBe(totals.succeeded);
  });

  it('counts batch items, and sees the batches that the server makes', async () => {
    const level = { batchSize: 2, concurrency: 8 };
    const { point } = await measureLevel(
      workerFile,
      await levelOf('batching', {
        elements: 16,
        samples: [1, 2, 3],
        change: { protocol, batched: true, level },
      }),
    );
    expectWholePoint(point);
    const [last] = point.windows.slice(-1);
    expect(last?.inferencesPerSecond).toBeCloseTo(
      ((last?.requestCount ?? 0) * 2e6) / (last?.durationUs ?? 1),
      3,
    );
    expect(point.meanServerBatch).toBeGreaterThan(2);
  });

  it('counts requests that fail and flags the level', async () => {
    const lines: string[] = [];
    const { point } = await measureLevel(
      workerFile,
      await levelOf('picky', {
        samples: [13, 1],
        change: {
          protocol,
          onLog: (more) => {
            lines.push(...more);
          },
        },
      }),
    );
    expectWholePoint(point);
    expect(point.flags).toContain('errors');
    expect(point.errorCount).toBeGreaterThan(0);
    // Every other request is refused.
    expect(Math.abs(point.errorCount - (point.requestCount ?? 0))).toBeLessThan(0.2 * point.errorCount);
    expect(lines.join('\n')).toContain('unlucky');
  });

  it("ends with the server's words when every request fails", async () => {
    const error = await rejection(tools.native.measure(await levelOf('failing', { change: { protocol } })));
    expect(error.code).toBe('inference-failed');
    expect(error.message).toContain('refused on purpose');
  });

  it('ends with the words for a shape that the model does not take', async () => {
    const input = await levelOf('batching', { elements: 15, change: { protocol, batched: true } });
    const error = await rejection(tools.native.measure(input));
    expect(error.code).toBe('inference-failed');
    expect(error.message).toMatch(/shape/);
  });

  it('is cancelled', async () => {
    const controller = new AbortController();
    const input = await levelOf('echo', {
      change: {
        protocol,
        signal: controller.signal,
        onWindow: () => {
          controller.abort();
        },
      },
    });
    expect((await rejection(tools.native.measure(input))).code).toBe('cancelled');
  });

  it('says that nobody listens', async () => {
    const input = await levelOf('echo', {
      change: { protocol, httpAddress: '127.0.0.1:9', grpcAddress: '127.0.0.1:9' },
    });
    expect((await rejection(tools.native.measure(input))).code).toBe('server-unreachable');
  });

  it('gives no result when the server dies in the middle', async () => {
    const mortal = await startTestTriton([echo]);
    try {
      const input = await levelOf('echo', {
        server: mortal,
        change: {
          protocol,
          onWindow: (_window, index) => {
            if (index === 0) mortal.kill();
          },
        },
      });
      const error = await rejection(
        tools.native.measure({
          ...input,
          settings: { ...input.settings, stabilityPercentage: 0.001, maxTrials: 100 },
        }),
      );
      expect(error.code).toBe('server-gone');
    } finally {
      await mortal.stop();
    }
  });
});

describe('native', () => {
  it('keeps an unsteady level, flagged', async () => {
    const input = await levelOf('sink');
    const settings = { ...input.settings, stabilityPercentage: 1e-6, maxTrials: 3 };
    const point = await tools.native.measure({ ...input, settings });
    expectWholePoint(point);
    expect(point).toMatchObject({ stable: false });
    expect(point.flags).toContain('unstable');
    expect(point.windows).toHaveLength(3);
  });

  it('measures windows by count', async () => {
    const input = await levelOf('sink');
    const settings = {
      ...input.settings,
      measurementMode: 'count_windows' as const,
      measurementRequestCount: 500,
    };
    const point = await tools.native.measure({ ...input, settings });
    expectWholePoint(point);
    for (const window of point.windows) expect(window.requestCount).toBeGreaterThanOrEqual(500);
  });
});

describe.each(protocols)('perf_analyzer over %s', (protocol) => {
  it('gives every column', async () => {
    const commands: (readonly string[])[] = [];
    const point = await tools.perf_analyzer.measure(
      await levelOf('echo', { change: { protocol, onCommand: (argv) => commands.push(argv) } }),
    );
    expectWholePoint(point);
    expect(point).toMatchObject({ loadTool: 'perf_analyzer', protocol, batchSize: 1, concurrency: 4 });
    expect(point.meanServerBatch).toBe(1);
    expect(commands[0]).toContain('--verbose-csv');
  });

  it('keeps an unsteady level, flagged', async () => {
    const input = await levelOf('sink', { change: { protocol } });
    const settings = {
      ...input.settings,
      measurementIntervalMs: 200,
      stabilityPercentage: 1e-4,
      maxTrials: 3,
    };
    const point = await tools.perf_analyzer.measure({ ...input, settings });
    expectWholePoint(point);
    expect(point).toMatchObject({ stable: false, flags: ['unstable'] });
  });

  it("ends with the server's words when requests fail", async () => {
    const error = await rejection(
      tools.perf_analyzer.measure(await levelOf('failing', { change: { protocol } })),
    );
    expect(error.code).toBe('inference-failed');
    expect(error.message).toContain('refused on purpose');
  });

  it('says that nobody listens', async () => {
    const input = await levelOf('echo', {
      change: { protocol, httpAddress: '127.0.0.1:9', grpcAddress: '127.0.0.1:9' },
    });
    expect((await rejection(tools.perf_analyzer.measure(input))).code).toBe('server-unreachable');
  });
});

it('perf_analyzer is cancelled', async () => {
  const controller = new AbortController();
  const input = await levelOf('echo', {
    change: {
      signal: controller.signal,
      onWindow: () => {
        controller.abort();
      },
    },
  });
  expect((await rejection(tools.perf_analyzer.measure(input))).code).toBe('cancelled');
});
