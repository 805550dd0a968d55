import { describe, expect, it } from 'vitest';
import { mergeDeltas, serverColumns, serverDelta } from '../../../main/perf/server-columns';
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
