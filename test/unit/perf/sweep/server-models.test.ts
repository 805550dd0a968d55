import { expect, it } from 'vitest';
import { weightedLevel } from '../../../../main/perf/sweep/server-models';

it('models have as much more of the concurrency, or of the rate', () => {
  expect(weightedLevel({ batchSize: 2, concurrency: 3 }, 2)).toEqual({ batchSize: 2, concurrency: 6 });
  expect(weightedLevel({ batchSize: 2, concurrency: 1 }, 0.1).concurrency).toBe(1);
  expect(weightedLevel({ batchSize: 1, concurrency: 128, requestRate: 40 }, 0.5)).toEqual({
    batchSize: 1,
    concurrency: 128,
    requestRate: 20,
  });
});
