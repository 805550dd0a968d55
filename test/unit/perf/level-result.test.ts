import { describe, expect, it } from 'vitest';
import type { MeasuredWindow } from '../../../main/perf/native/level-result';
import { levelResult, summarizeWindow } from '../../../main/perf/native/level-result';
import { WindowRecorder } from '../../../main/perf/native/window-recorder';
import type { ServerDelta } from '../../../main/perf/server-columns';

const second = 1e6;
const level = { batchSize: 2, concurrency: 4 };

/** Counters of `count` requests with 10 us in each of the four fields. */
function server(count: number): ServerDelta {
  const duration = { count, ns: count * 10_000 };
  const none = { count: 0, ns: 0 };
  return {
    success: { count, ns: count * 60_000 },
    queue: duration,
    computeInput: duration,
    computeInfer: duration,
    computeOutput: duration,
    cacheHit: none,
    cacheMiss: none,
    inferenceCount: 2 * count,
    executionCount: count,
  };
}

/** One second with the given latencies, their ends spread evenly, 3 us send and 2 us recv each. */
function windowOf(
  latencies: readonly number[],
  options: { readonly failures?: number; readonly busy?: number; readonly restarted?: boolean } = {},
): MeasuredWindow {
  const recorder = new WindowRecorder(second / 4);
  recorder.begin(0);
  for (const [index, latency] of latencies.entries()) {
    recorder.success(latency, ((index + 0.5) * second) / latencies.length, 3, 2);
  }
  for (let index = 0; index < (options.failures ?? 0); index += 1) recorder.failure('UNAVAILABLE', 'no');
  const recorded = recorder.close(second, options.busy ?? 0.2);
  return {
    recorded,
    summary: summarizeWindow(recorded, level.batchSize),
    server: options.restarted === true ? null : server(latencies.length),
  };
}

const steps = (from: number, count: number) =>
  Array.from({ length: count }, (_unused, index) => from + index);
const settings = { stabilityPercentage: 10 };

describe('a window', () => {
  it('is told with its rate in items and its own percentiles', () => {
    expect(windowOf([300, 100, 200, 400], { failures: 1 }).summary).toEqual({
      durationUs: second,
      requestCount: 4,
      errorCount: 1,
      inferencesPerSecond: 8,
      avgUs: 250,
      p50Us: 300,
      p99Us: 400,
    });
  });

  it('keeps every latency, beyond its first capacity too', () => {
    const window = windowOf(steps(1, 40_000));
    expect(window.summary.requestCount).toBe(40_000);
    expect(window.summary.p50Us).toBe(20_001);
    expect(window.recorded.blockCounts).toEqual([10_000, 10_000, 10_000, 10_000]);
  });
});

describe('a level', () => {
  it('is the merge of the last three windows', () => {
    const windows = [
      windowOf([9999]),
      windowOf(steps(100, 100)),
      windowOf(steps(101, 100)),
      windowOf(steps(102, 100)),
    ];
    const result = levelResult(windows, level, settings);
    expect(result).toMatchObject({
      batchSize: 2,
      concurrency: 4,
      inferencesPerSecond: 200,
      requestCount: 300,
      errorCount: 0,
      stable: true,
      flags: [],
      avgUs: 150.5,
      p50Us: 151,
      p99Us: 199,
      clientSendUs: 3,
      clientRecvUs: 2,
      serverQueueUs: 10,
      serverComputeInferUs: 10,
      networkServerSendRecvUs: 150.5 - 5 - 40,
      meanServerBatch: 2,
      throughputIntervalIps: 0,
    });
    expect(result?.windows).toHaveLength(4);
  });

  it('has no negative network time', () => {
    const windows = [windowOf([20, 20]), windowOf([20, 20]), windowOf([20, 20])];
    expect(levelResult(windows, level, settings)?.networkServerSendRecvUs).toBe(0);
  });

  it.each([
    ['unstable', [windowOf(steps(100, 10)), windowOf(steps(100, 10)), windowOf(steps(100, 20))]],
    [
      'errors',
      [windowOf(steps(100, 50)), windowOf(steps(100, 50)), windowOf(steps(100, 50), { failures: 2 })],
    ],
    ['client-saturated', [1, 2, 3].map(() => windowOf(steps(100, 10), { busy: 0.95 }))],
    ['server-restarted', [windowOf([100]), windowOf([100], { restarted: true }), windowOf([100])]],
  ] as const)('is flagged: %s', (flag, windows) => {
    expect(levelResult(windows, level, settings)?.flags).toEqual([flag]);
  });

  it('is not there when no request succeeded', () => {
    const windows = [1, 2, 3].map(() => windowOf([], { failures: 5 }));
    expect(levelResult(windows, level, settings)).toBeNull();
  });
});
