import { expect, it } from 'vitest';
import { ratesBetween } from '../../../main/monitor/rates';
import { statistics } from './fixtures';

const before = statistics({
  inferenceCount: 100,
  executionCount: 50,
  success: { count: 60, ns: 6e9 },
  fail: { count: 2, ns: 1e6 },
  queue: { count: 60, ns: 3e6 },
  computeInfer: { count: 60, ns: 5e9 },
});

it('gives rates and means of what was counted in between', () => {
  const after = statistics({
    inferenceCount: 180,
    executionCount: 60,
    success: { count: 90, ns: 9e9 },
    fail: { count: 12, ns: 2e6 },
    queue: { count: 90, ns: 9e6 },
    computeInfer: { count: 90, ns: 8e9 },
  });
  const { rates, reset, failures } = ratesBetween(before, after, 2);
  expect(reset).toBe(false);
  expect(failures).toBe(10);
  expect(rates).toEqual({
    requestsPerSecond: 20,
    inferencesPerSecond: 40,
    errorShare: 0.25,
    queueUs: 200,
    computeInputUs: null,
    computeInferUs: 100_000,
    computeOutputUs: null,
    batch: 8,
    cacheHitShare: null,
  });
});

it('an idle second has a rate of 0 and no means', () => {
  const { rates } = ratesBetween(before, before, 1);
  expect(rates?.requestsPerSecond).toBe(0);
  expect(rates?.queueUs).toBeNull();
  expect(rates?.errorShare).toBeNull();
});

it('counters that went back give no rate, however small the step', () => {
  const back = { ...before, queue: { count: 60, ns: 3e6 - 1 } };
  expect(ratesBetween(before, back, 1)).toEqual({ rates: null, successes: 0, failures: 0, reset: true });
  expect(ratesBetween(before, statistics(), 1).reset).toBe(true);
});
