import { describe, expect, it } from 'vitest';
import {
  batchColumns,
  cacheColumns,
  mergeDeltas,
  serverColumns,
  serverDelta,
} from '../../../main/perf/server-columns';
import { parseModelStatistics } from '../../../main/triton/statistics';

/** Counters after `requests` requests of `items` items each, in batches of `batch` items. */
function counters(version: string, requests: number, items = 1, batch = 1) {
  const duration = (us: number, count = requests) => ({ count, ns: us * 1000 * count });
  return {
    name: 'm',
    version,
    inference_count: requests * items,
    execution_count: (requests * items) / batch,
    inference_stats: {
      success: duration(100),
      queue: duration(40),
      compute_input: duration(5),
      compute_infer: duration(30),
      compute_output: duration(15),
    },
  };
}
const statistics = (...models: unknown[]) => parseModelStatistics({ model_stats: models });

describe('the server columns', () => {
  it('are means between two moments, by the count of the field itself', () => {
    const delta = serverDelta(statistics(counters('1', 10, 2, 4)), statistics(counters('1', 30, 2, 4)));
    expect(delta).not.toBeNull();
    if (delta === null) return;
    expect(delta.success.count).toBe(20);
    expect(serverColumns(delta)).toEqual({
      queueUs: 40,
      computeInputUs: 5,
      computeInferUs: 30,
      computeOutputUs: 15,
      knownUs: 90,
      meanServerBatch: 4,
    });
  });

  it('of sums that ran over 64 bits are out of range, which is no restart', () => {
    const of = (requests: number, inferNs: number) => {
      const one = counters('1', requests);
      const stats = { ...one.inference_stats, compute_infer: { count: requests, ns: inferNs } };
      return statistics({ ...one, inference_stats: stats });
    };
    expect(serverDelta(of(10, 2 ** 64 - 2 ** 20), of(20, 2 ** 64 - 2 ** 21))?.outOfRange).toBe(true);
    expect(serverDelta(of(10, 5e17), of(20, 4e17))?.outOfRange).toBe(true);
    expect(serverDelta(of(10, 5e6), of(20, 4e6))).toBeNull();
  });

  it('are those of the version that did the work', () => {
    const delta = serverDelta(
      statistics(counters('1', 10), counters('2', 10)),
      statistics(counters('1', 10), counters('2', 15)),
    );
    expect(delta?.success.count).toBe(5);
  });

  it('are summed over windows field by field', () => {
    const one = serverDelta(statistics(counters('1', 0)), statistics(counters('1', 10)));
    const two = serverDelta(statistics(counters('1', 10)), statistics(counters('1', 40)));
    if (one === null || two === null) throw new Error('both windows have counters');
    expect(mergeDeltas([one, two]).queue).toEqual({ count: 40, ns: 1_600_000 });
  });

  it('are not told when counters went back', () => {
    expect(serverDelta(statistics(counters('1', 50)), statistics(counters('1', 3)))).toBeNull();
  });

  it('are zero, not NaN, where the server counted nothing', () => {
    const delta = serverDelta(statistics(counters('1', 5)), statistics(counters('1', 5)));
    if (delta === null) throw new Error('the counters stand still');
    expect(serverColumns(delta)).toMatchObject({ queueUs: 0, knownUs: 0, meanServerBatch: null });
  });
});

describe('the executions by batch', () => {
  const of = (...batches: readonly (readonly [size: number, count: number, us: number])[]) => {
    const part = (count: number, us: number) => ({ count, ns: count * us * 1000 });
    return statistics({
      ...counters('1', 100),
      batch_stats: batches.map(([batch_size, count, us]) => ({
        batch_size,
        compute_input: part(count, 10),
        compute_infer: part(count, us),
        compute_output: part(count, 5),
      })),
    });
  };

  it('are those between two moments, with the mean time of the whole execution, also of a batch that is new', () => {
    const delta = serverDelta(of([1, 10, 100], [4, 5, 300]), of([1, 10, 100], [2, 3, 180], [4, 25, 300]));
    expect(delta && batchColumns(delta)).toEqual([
      { batchSize: 2, count: 3, computeUs: 195 },
      { batchSize: 4, count: 20, computeUs: 315 },
    ]);
  });

  it('are summed over windows, and absent where nothing was executed', () => {
    const first = serverDelta(of([4, 0, 0]), of([4, 10, 300]));
    const second = serverDelta(of([4, 10, 300]), of([4, 40, 300], [8, 1, 500]));
    if (first === null || second === null) throw new Error('both windows have counters');
    expect(batchColumns(mergeDeltas([second, first]))).toEqual([
      { batchSize: 4, count: 40, computeUs: 315 },
      { batchSize: 8, count: 1, computeUs: 515 },
    ]);
    const none = serverDelta(of([4, 10, 300]), of([4, 10, 300]));
    expect(none && batchColumns(none)).toBeNull();
  });
});

describe('the response cache', () => {
  /** Counters of the cache after so many hits of 20 us and misses of 50 us. */
  const cached = (hits: number, misses: number) => {
    const model = counters('1', hits + misses);
    const duration = (count: number, us: number) => ({ count, ns: count * us * 1000 });
    const inference_stats = {
      ...model.inference_stats,
      cache_hit: duration(hits, 20),
      cache_miss: duration(misses, 50),
    };
    return statistics({ ...model, inference_stats });
  };
  const between = (from: readonly [number, number], to: readonly [number, number]) => {
    const delta = serverDelta(cached(...from), cached(...to));
    if (delta === null) throw new Error('the counters go on');
    return delta;
  };

  it('has what it counted between two moments, each time by its own count', () => {
    expect(cacheColumns(between([5, 10], [35, 20]))).toEqual({
      hitCount: 30,
      missCount: 10,
      hitUs: 20,
      missUs: 50,
    });
  });

  it('has no time of what did not happen', () => {
    expect(cacheColumns(between([0, 0], [0, 4]))).toEqual({
      hitCount: 0,
      missCount: 4,
      hitUs: null,
      missUs: 50,
    });
  });

  it('is not there where the server counted nothing', () => {
    expect(cacheColumns(between([7, 7], [7, 7]))).toBeNull();
  });
});
