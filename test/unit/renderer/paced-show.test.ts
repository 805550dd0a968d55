import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPacedShow } from '../../../renderer/stores/paced-show';
import { sample } from '../monitor/fixtures';

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
