import { describe, expect, it } from 'vitest';
import { warmedWithin, warmUpRequests, warmUpSizes } from '../../../main/formats/warm-up';

const none = { preferredBatchSizes: [] };
const input = [
  { name: 'ids', dataType: 'TYPE_INT64', dims: [-1] },
  { name: 'text', dataType: 'TYPE_STRING', dims: [1] },
];

describe('the batch sizes of a warm-up', () => {
  it('are 1, its doubles, the preferred ones and the largest, unless they are given', () => {
    expect(warmUpSizes({ warmup: 'zero', preferredBatchSizes: [6, 4] }, 12)).toEqual([1, 2, 4, 6, 8, 12]);
    expect(warmUpSizes({ warmup: 'zero', warmupBatchSizes: [8, 2, 8], ...none }, 12)).toEqual([2, 8]);
    expect(warmUpSizes({ warmup: 'zero', ...none }, 1)).toEqual([1]);
    // Without a batch dimension.
    expect(warmUpSizes({ warmup: 'random', warmupBatchSizes: [4], ...none }, 0)).toEqual([1]);
  });

  it('are those that a smaller maximum allows, or that maximum', () => {
    const of = (maxBatchSize: number, warmupBatchSizes?: number[]) =>
      warmedWithin({ maxBatchSize, ...(warmupBatchSizes === undefined ? {} : { warmupBatchSizes }) });
    expect(of(4, [1, 4, 8])).toEqual({ maxBatchSize: 4, warmupBatchSizes: [1, 4] });
    expect(of(4, [8, 16])).toEqual({ maxBatchSize: 4, warmupBatchSizes: [4] });
    expect(of(0, [8])).toEqual({ maxBatchSize: 0, warmupBatchSizes: [1] });
    expect(of(8, [8])).toEqual({ maxBatchSize: 8, warmupBatchSizes: [8] });
    expect(of(8)).toEqual({ maxBatchSize: 8 });
  });

  it('are none without one', () => {
    expect(warmUpSizes(none, 8)).toEqual([]);
    expect(warmUpRequests({ warmup: 'none', ...none }, { maxBatchSize: 8, input })).toEqual([]);
  });
});

describe('the requests of a warm-up', () => {
  it('have a value for every input: texts are empty, and sizes that vary are 1', () => {
    const [first, second] = warmUpRequests({ warmup: 'random', ...none }, { maxBatchSize: 2, input });
    expect(first).toEqual({
      name: 'batch size 1',
      batchSize: 1,
      inputs: {
        ids: { dataType: 'TYPE_INT64', dims: [1], randomData: true },
        text: { dataType: 'TYPE_STRING', dims: [1], zeroData: true },
      },
    });
    expect(second?.batchSize).toBe(2);
    const [zero] = warmUpRequests({ warmup: 'zero', ...none }, { maxBatchSize: 0, input });
    expect(zero).toMatchObject({ name: 'first request', batchSize: 1, inputs: { ids: { zeroData: true } } });
  });
});
