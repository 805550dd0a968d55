import { describe, expect, it } from 'vitest';
import { levelResult, type MeasuredWindow } from '../../../../../main/perf/native/level/level-result';
import { level, second, server, settings, steps, windowOf } from './level-windows';

describe('the intervals of the latencies', () => {
  /** Three windows of four parts each; each part is slower than the one before by 2 us, and begins anew in each window. */
  const inParts = (requests: number) => {
    const part = (index: number) => Array.from({ length: requests / 4 }, () => 100 + 2 * index);
    return [1, 2, 3].map(() => windowOf([0, 1, 2, 3].flatMap(part)));
  };

  it('are there for each, from the parts of the windows', () => {
    const point = levelResult(inParts(400), level, settings);
    // Twelve parts: t of 11 degrees of freedom times the deviation of 100, 102, 104 and 106 us, three of each.
    const half = 2.201 * Math.sqrt((3 * (9 + 1 + 1 + 9)) / 11);
    const about: unknown = expect.closeTo(half, 0);
    expect(point?.latencyIntervals).toEqual({
      avgUs: expect.closeTo(half, 2) as unknown,
      p50Us: about,
      p90Us: about,
      p95Us: about,
    });
    expect(point?.p99IntervalUs).toEqual(about);
  });

  it('leave out a percentile that too few requests tell, and take windows where parts are too small', () => {
    // Ten requests a part, 40 a window: enough for p90 in parts, for p95 in windows, for p99 in neither.
    const point = levelResult(inParts(40), level, settings);
    expect(point?.latencyIntervals?.p90Us).toBeGreaterThan(1);
    // The windows are alike.
    expect(point?.latencyIntervals?.p95Us).toBe(0);
    expect(point?.p99IntervalUs).toBeNull();
  });
});

describe('a saturated client', () => {
  const flagsOf = (
    options: { readonly delayUs?: number; readonly cpuUs?: number },
    { latencyUs = 100, generators = 1 } = {},
  ) => {
    const windows = [1, 2, 3].map(() => windowOf(steps(latencyUs, 10), options));
    return levelResult(windows, level, { ...settings, generators })?.flags;
  };

  it('is one whose own work holds it up for longer than a request takes', () => {
    const busy = { cpuUs: 0.8 * second };
    expect(flagsOf({ delayUs: 12_000, ...busy })).toEqual(['client-saturated']);
    expect(flagsOf({ delayUs: 12_000, ...busy }, { latencyUs: 20_000 })).toEqual([]);
    // As long as the system's scheduling alone may take.
    expect(flagsOf({ delayUs: 9000, ...busy })).toEqual([]);
  });

  it('is not one that other work on the machine holds up', () => {
    expect(flagsOf({ delayUs: 12_000 })).toEqual(['machine-busy']);
    expect(flagsOf({ delayUs: 12_000 }, { latencyUs: 20_000 })).toEqual([]);
    expect(flagsOf({ delayUs: 9000 })).toEqual([]);
  });

  it('is one whose thread takes a whole core', () => {
    expect(flagsOf({ cpuUs: 0.96 * second })).toEqual(['client-saturated']);
    expect(flagsOf({ cpuUs: 0.9 * second })).toEqual([]);
  });

  it('of several in one process is not told from the CPU time of the others', () => {
    expect(flagsOf({ cpuUs: 1.5 * second }, { generators: 2 })).toEqual([]);
    expect(flagsOf({ cpuUs: 1.95 * second }, { generators: 2 })).toEqual(['client-saturated']);
  });
});

describe('the response cache of a level', () => {
  it('is what the server counted over the windows; absent where it counted nothing', () => {
    const cached = (hits: number, misses: number): MeasuredWindow => ({
      ...windowOf(steps(100, 10)),
      server: {
        ...server(10),
        cacheHit: { count: hits, ns: hits * 20_000 },
        cacheMiss: { count: misses, ns: misses * 50_000 },
      },
    });
    expect(levelResult([cached(6, 4), cached(8, 2), cached(10, 0)], level, settings)?.cache).toEqual({
      hitCount: 24,
      missCount: 6,
      hitUs: 20,
      missUs: 50,
    });
    const plain = [1, 2, 3].map(() => windowOf(steps(100, 10)));
    expect(levelResult(plain, level, settings)).not.toHaveProperty('cache');
  });
});

describe('the share of CPU', () => {
  const withCpu = (cpuUs: number, cpuSpanUs: number): MeasuredWindow => {
    const window = windowOf(steps(100, 10));
    return { ...window, recorded: { ...window.recorded, cpuUs, cpuSpanUs } };
  };
  const shareOf = (...windows: readonly MeasuredWindow[]) =>
    levelResult(windows, level, settings)?.client?.cpuShare;

  it('is over the time between the readings', () => {
    expect(shareOf(withCpu(100_000, 1e6), withCpu(200_000, 1e6), withCpu(300_000, 2e6))).toBe(0.15);
  });

  it('gives the CPU time of a request', () => {
    const windows = [withCpu(100_000, 1e6), withCpu(200_000, 1e6), withCpu(300_000, 2e6)];
    const point = levelResult(windows, level, settings);
    expect(point?.clientCpuUsPerRequest).toBeCloseTo((0.15 * 3 * second) / (point?.requestCount ?? 0), 2);
  });

  it('is not known of a time in which clock ticks count', () => {
    const short = withCpu(10_000, 1e5);
    expect(shareOf(short, short, short)).toBeNull();
    expect(levelResult([short, short, short], level, settings)).not.toHaveProperty('clientCpuUsPerRequest');
  });
});
