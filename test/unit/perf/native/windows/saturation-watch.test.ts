import { expect, it } from 'vitest';
import { SaturationWatch, watchMsOf } from '../../../../../main/perf/native/windows/saturation-watch';

const schedule = { rate: 1000, distribution: 'poisson', seed: 1, intervalsUs: [] } as const;

it('looks at open levels of one rate only', () => {
  expect(watchMsOf({ schedule, replay: undefined, intervalMs: 2000 })).toBe(100);
  expect(watchMsOf({ schedule, replay: undefined, intervalMs: 100 })).toBe(25);
  expect(watchMsOf({ schedule: null, replay: undefined, intervalMs: 2000 })).toBeNull();
  expect(
    watchMsOf({ schedule: { ...schedule, intervalsUs: [1] }, replay: undefined, intervalMs: 2000 }),
  ).toBeNull();
  const replay = { atUs: new Float64Array(), sizes: new Int32Array(), firsts: new Int32Array() };
  expect(watchMsOf({ schedule, replay, intervalMs: 2000 })).toBeNull();
});

/** A second server of 800 requests/s is given 1000: 20 more wait after every tenth of a second. */
it('sees a queue that grows, over the bounds of windows', () => {
  const watch = new SaturationWatch(schedule, 100);
  const looks: boolean[] = [];
  let [count, sumUs] = [0, 0];
  for (let at = 1; at <= 30; at += 1) {
    // Another window begins.
    if (at % 10 === 1) [count, sumUs] = [0, 0];
    count += 80;
    sumUs += 80 * at * 25_000;
    looks.push(watch.look({ inFlight: 20 * at, count, sumUs }));
  }
  expect(looks.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => false));
  expect(looks.at(-1)).toBe(true);
});

it('sees nothing in a queue that stays', () => {
  const watch = new SaturationWatch(schedule, 100);
  for (let at = 1; at <= 60; at += 1)
    expect(watch.look({ inFlight: 40 + (at % 7), count: 100 * at, sumUs: 100 * at * 4000 })).toBe(false);
});
