import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPacedShow } from '../../../../renderer/stores/paced-show';
import { sample } from '../../monitor/fixtures';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function open() {
  const shown: number[] = [];
  const paced = createPacedShow((newest) => shown.push(newest.sample.atMs));
  const take = (atMs: number) => {
    paced.take({ sample: sample(atMs), alerts: [] });
  };
  return { shown, paced, take };
}

it('shows a sample that comes alone at once, and of many at a time the first and the newest', () => {
  const { shown, take } = open();
  take(1);
  expect(shown).toEqual([1]);
  for (let atMs = 2; atMs <= 500; atMs += 1) take(atMs);
  expect(shown).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(shown).toEqual([1, 500]);
  vi.advanceTimersByTime(1000);
  take(501);
  expect(shown).toEqual([1, 500, 501]);
});

it('shows what waits when something stands on it, and nothing twice', () => {
  const { shown, paced, take } = open();
  take(1);
  take(2);
  paced.now();
  expect(shown).toEqual([1, 2]);
  vi.advanceTimersByTime(1000);
  expect(shown).toEqual([1, 2]);
});

it('forgets what waits when another recording begins', () => {
  const { shown, paced, take } = open();
  take(1);
  take(2);
  paced.forget();
  vi.advanceTimersByTime(1000);
  expect(shown).toEqual([1]);
});

it('leaves a page that drawing kept busy twice that time, also where nothing waits yet', async () => {
  vi.useRealTimers();
  const shownMs: number[] = [];
  const paced = createPacedShow(() => {
    shownMs.push(performance.now());
    // As React draws: when whoever told of the sample is done.
    queueMicrotask(() => {
      const untilMs = performance.now() + (shownMs.length === 1 ? 300 : 0);
      while (performance.now() < untilMs);
    });
  });
  paced.take({ sample: sample(1), alerts: [] });
  // The timer that looks whether the page is busy is late by 200 ms.
  await new Promise((resolve) => setTimeout(resolve, 150));
  paced.take({ sample: sample(2), alerts: [] });
  expect(shownMs).toHaveLength(1);
  await vi.waitFor(() => {
    expect(shownMs).toHaveLength(2);
  });
  expect((shownMs[1] ?? 0) - (shownMs[0] ?? 0)).toBeGreaterThan(300 + 2 * 150);
});
