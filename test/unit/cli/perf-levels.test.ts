import { describe, expect, it } from 'vitest';
import { readLevels } from '../../../main/cli/perf-levels';

describe('the levels of perf', () => {
  it('are each batch size with each concurrency', () => {
    expect(readLevels({ batchSizes: [1, 2], concurrency: [4, 8] })).toEqual([
      { batchSize: 1, concurrency: 4 },
      { batchSize: 1, concurrency: 8 },
      { batchSize: 2, concurrency: 4 },
      { batchSize: 2, concurrency: 8 },
    ]);
  });

  it('are at the mean rate of intervals, for each batch size', () => {
    expect(readLevels({ batchSizes: [1, 2], intervalsUs: [1000, 3000] })).toMatchObject([
      { batchSize: 1, requestRate: 500 },
      { batchSize: 2, requestRate: 500 },
    ]);
  });

  it('have a rate or intervals, and one limit of concurrent requests with either', () => {
    expect(() => readLevels({ batchSizes: [1], requestRates: [5], intervalsUs: [1000] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: '--request-intervals' }),
    );
    expect(() => readLevels({ batchSizes: [1], requestRates: [5], concurrency: [1, 2] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: '--concurrency' }),
    );
  });
});
