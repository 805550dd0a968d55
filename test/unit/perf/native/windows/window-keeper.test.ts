import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FromWorker, LoadJob, RecordedWindow } from '../../../../../main/perf/native/seam/load-job';
import { WindowKeeper } from '../../../../../main/perf/native/windows/window-keeper';

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
    (message) => {
      posted.push(message);
      if (message.type === 'bound') keeper.cut(message.bound, null, 0);
    },
    () => undefined,
    () => 0,
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
  expect(posted).toEqual([{ type: 'bound', bound: 1 }]);
});

/** A keeper whose windows the test ends; no window yet. */
function keeperOf(settings: Partial<LoadJob> = {}) {
  const job = { mode: 'time_windows', intervalMs: 1000, warmupMs: 1000, schedule: null };
  let sequencesEnded = 0;
  const keeper = new WindowKeeper(
    { ...(job as LoadJob), streaming: false, ...settings },
    () => ({ sequencesEnded }),
    (message) => posted.push(message),
    () => undefined,
    () => 0,
  );
  keeper.start();
  let endUs = 0;
  const request = (times = 1): void => {
    for (; times > 0; times -= 1) {
      endUs += 10;
      sequencesEnded += 1;
      keeper.success(endUs - 5, endUs, 1, 1, endUs - 5, undefined);
      keeper.requestEnded(endUs);
    }
  };
  const failure = () => {
    keeper.failure('reset', 'gone', 0, 0);
    keeper.requestEnded(endUs);
  };
  /** The time is over; the request that ends now asks for the server's count. */
  const timeOver = () => {
    vi.advanceTimersByTime(1100);
    request();
  };
  return { keeper, request, failure, timeOver };
}

it('a window ends with the last request that the server had counted when it was asked', () => {
  const { keeper, request, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 1, 4);
  request(10);
  timeOver();
  request(5);
  expect(windows()).toEqual([]);
  keeper.cut(2, 1 + 11 + 3, 4);
  expect(windows()[0]).toMatchObject({ durationUs: 140, sequencesEnded: 14, latencies: { total: 14 } });
  request(7);
  timeOver();
  keeper.cut(3, 14 + 1 + 2 + 8, 4);
  expect(windows()[1]).toMatchObject({ startUs: 140, durationUs: 100, latencies: { total: 10 } });
});

it('what the server has counted and not yet answered is waited for', () => {
  const { keeper, request, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 3, 4);
  request(2);
  timeOver();
  keeper.cut(2, 6, 4);
  expect(windows()).toEqual([]);
  request();
  expect(windows()).toEqual([]);
  request();
  expect(windows()[0]).toMatchObject({ durationUs: 30, latencies: { total: 3 } });
});

it.each([
  ['not told', null],
  ['of one more than are under way', 6 + 3 + 5],
  ['of others as well', 1000],
  ['of a server that was started anew', 2],
])('a count that is %s leaves the bound where the clock put it', (_, succeeded) => {
  const { keeper, request, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 1, 4);
  request(4);
  timeOver();
  request(3);
  keeper.cut(2, succeeded, 4);
  expect(windows()[0]).toMatchObject({ durationUs: 50, latencies: { total: 5 } });
});

it('a window does not wait for what fails after the server has counted it', () => {
  const { keeper, request, failure, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 1, 4);
  request(2);
  timeOver();
  keeper.cut(2, 4 + 2, 4);
  request();
  failure();
  failure();
  expect(windows()).toEqual([]);
  failure();
  expect(windows()[0]).toMatchObject({ durationUs: 30, latencies: { total: 3 }, failures: [] });
});

it('a level of failures alone has its windows', () => {
  const { keeper, failure } = keeperOf();
  for (const [bound, counted] of [2, 3].entries()) {
    vi.advanceTimersByTime(1100);
    failure();
    keeper.cut(bound + 1, counted, 4);
    for (let time = 0; time < 4; time += 1) failure();
  }
  expect(windows()[0]?.failures).toMatchObject([{ kind: 'reset', count: 5 }]);
});

it('what fails meanwhile belongs to the window in whose time it failed', () => {
  const { keeper, request, failure, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 1, 4);
  timeOver();
  failure();
  request();
  failure();
  request();
  keeper.cut(2, 3, 4);
  timeOver();
  keeper.cut(3, 5, 4);
  const failed = windows().map((window) => window.failures.map(({ kind, count }) => [kind, count]));
  expect(failed).toEqual([[['reset', 1]], [['reset', 1]]]);
});

it('the times of answers that come meanwhile are kept as they were', () => {
  const { keeper, timeOver } = keeperOf({ streaming: true });
  timeOver();
  keeper.cut(1, 1, 4);
  timeOver();
  const contentUs = [24, 27];
  keeper.success(20, 30, 1, 1, 20, { contentUs, finalUs: 30 });
  contentUs.length = 0;
  keeper.requestEnded(30);
  // The server may have counted the request of a stream before it was answered: it belongs to the next window all the same.
  keeper.cut(2, 3, 4);
  timeOver();
  keeper.cut(3, 4, 4);
  expect(windows().map((window) => window.answers?.count)).toEqual([0, 2]);
});

it('an answer to an earlier bound changes nothing', () => {
  const { keeper, request, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 1, 4);
  timeOver();
  request(2);
  keeper.cut(1, 3, 4);
  expect(windows()).toEqual([]);
  keeper.cut(2, 2, 4);
  expect(windows()).toHaveLength(1);
});

it('a server that does not answer holds up no window for ever', () => {
  const { keeper, request, timeOver } = keeperOf();
  timeOver();
  keeper.cut(1, 1, 4);
  timeOver();
  request(100_000);
  expect(windows()[0]).toMatchObject({ durationUs: 10, latencies: { total: 1 } });
});

it('an open level that queues without end is over before its time', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  const job = { mode: 'time_windows', intervalMs: 4000, warmupMs: 0, streaming: false };
  const schedule = { rate: 1000, distribution: 'constant', seed: 1, intervalsUs: [] };
  let waiting = 0;
  const keeper = new WindowKeeper(
    { ...job, schedule } as unknown as LoadJob,
    () => ({ sequencesEnded: 0 }),
    (message) => {
      posted.push(message);
      if (message.type === 'bound') keeper.cut(message.bound, null, 0);
    },
    () => undefined,
    () => waiting,
  );
  keeper.start();
  // 900 of 1000 requests/s are answered: 20 more wait after each 200 ms, each 2 ms longer than the one before.
  for (let atMs = 10; atMs <= 4000 && windows().length === 0; atMs += 10) {
    vi.advanceTimersByTime(10);
    waiting = atMs / 10;
    for (let one = 0; one < 9; one += 1) {
      const endUs = 1000 * atMs + one;
      keeper.success(endUs - 1000, endUs, 1, 1, endUs - 1000 - 100 * atMs, undefined);
      keeper.requestEnded(endUs);
    }
  }
  keeper.close();
  const [window] = windows();
  expect(window?.overSaturated).toBe(true);
  expect(window?.durationUs).toBeLessThan(3.5e6);
});
