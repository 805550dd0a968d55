import { expect } from 'vitest';
import { histogramError } from '../../../../../main/perf/latency-histogram';
import { type MeasuredWindow, summarizeWindow } from '../../../../../main/perf/native/level/level-result';
import { WindowRecorder } from '../../../../../main/perf/native/windows/window-recorder';
import type { ServerDelta } from '../../../../../main/perf/server-columns';

export const second = 1e6;
export const level = { batchSize: 2, concurrency: 4 };
/** A closed loop of single responses. */
export const plain = { schedule: null, streaming: false } as const;

/** Counters of `count` requests with 10 us in each of the four fields. */
export function server(count: number): ServerDelta {
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
    version: '1',
  };
}

/** One second with the given latencies, their ends spread evenly, 3 us send and 2 us recv each. */
export function windowOf(
  latencies: readonly number[],
  options: {
    readonly failures?: number;
    readonly busy?: number;
    readonly restarted?: boolean;
    readonly delayUs?: number;
    /** Of one second. */
    readonly cpuUs?: number;
  } = {},
): MeasuredWindow {
  const recorder = new WindowRecorder(second / 4, plain);
  recorder.begin(0);
  for (const [index, latency] of latencies.entries()) {
    const endUs = ((index + 0.5) * second) / latencies.length;
    recorder.success(endUs - latency, endUs, 3, 2);
  }
  for (let index = 0; index < (options.failures ?? 0); index += 1)
    recorder.failure('UNAVAILABLE', 'no', 0, 0);
  const recorded = recorder.close(second, {
    loopUtilization: options.busy ?? 0.2,
    loopDelayP99Us: options.delayUs ?? 0,
    cpuUs: options.cpuUs ?? 100_000,
    cpuSpanUs: second,
    sequencesEnded: 0,
  });
  return {
    recorded,
    summary: summarizeWindow(recorded, level.batchSize),
    server: options.restarted === true ? null : server(latencies.length),
  };
}

export const steps = (from: number, count: number) =>
  Array.from({ length: count }, (_unused, index) => from + index);
/** Within the histogram's error. */
export const near = (value: number): unknown =>
  expect.closeTo(value, -Math.log10(2.1 * histogramError * value));
export const settings = { stabilityPercentage: 10 };
