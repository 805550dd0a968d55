import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LoadJob } from '../../../main/perf/native/load-job';
import { WindowKeeper } from '../../../main/perf/native/window-keeper';
import type { FromWorker, RecordedWindow } from '../../../main/perf/native/worker-messages';

let posted: FromWorker[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  posted = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const windows = (): RecordedWindow[] =>
  posted.flatMap((message) => (message.type === 'window' ? [message.window] : []));

/** Requests of two seconds each, some of them at once, one after the other from the start on. */
function measure(atOnce: number, seconds: number): void {
  const job = { mode: 'time_windows', intervalMs: 2500, warmupMs: 1000, schedule: null, streaming: false };
  const keeper = new WindowKeeper(
    job as LoadJob,
    () => ({ sequencesEnded: 0 }),
    (message) => posted.push(message),
  );
  keeper.start();
  for (let endMs = 2000; endMs <= seconds * 1000; endMs += 2000) {
    vi.advanceTimersByTime(2000);
    for (let slot = 0; slot < atOnce; slot += 1) {
      // They end a moment after each other.
      const endUs = endMs * 1000 + slot;
      keeper.success(endUs - 2e6, endUs, 1, 1, endUs - 2e6, undefined);
      keeper.requestEnded(endUs);
    }
  }
  keeper.close();
}

it('a window of few slow requests begins and ends with one of them: its rate is theirs', () => {
  measure(1, 30);
  expect(windows().length).toBeGreaterThan(3);
  for (const window of windows()) {
    expect((window.latencies.total * 1e6) / window.durationUs).toBeCloseTo(0.5, 9);
  }
});

it('requests that end together are told whole, although each window stands for itself', () => {
  measure(4, 30);
  const [first] = windows();
  expect(first?.latencies.total).toBe(8);
  expect(first?.durationUs).toBe(4e6);
});

it('the request that the warm-up ends with belongs to it', () => {
  measure(1, 4);
  expect(posted).toEqual([{ type: 'warm' }]);
});
