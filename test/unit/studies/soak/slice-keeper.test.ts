import { describe, expect, it } from 'vitest';
import type { MeasurementWindow } from '../../../../main/contract/measured/results';
import type { SoakSlice } from '../../../../main/contract/study/soak';
import { SliceKeeper } from '../../../../main/studies/soak/slice-keeper';

const window = (of: Partial<MeasurementWindow> = {}): MeasurementWindow => ({
  ...{ durationUs: 1e6, requestCount: 100, errorCount: 0, inferencesPerSecond: 200 },
  ...{ avgUs: 5000, p50Us: 4000, p99Us: 9000 },
  ...of,
});

function keeper(sliceMs: number) {
  const slices: SoakSlice[] = [];
  return { slices, keeper: new SliceKeeper({ sliceMs, life: 2, onSlice: (slice) => slices.push(slice) }) };
}

describe('SliceKeeper', () => {
  it('makes a slice of a window of its length, by the latency from when a request was due', () => {
    const { slices, keeper: kept } = keeper(1000);
    kept.add(window({ errorCount: 3, scheduledP99Us: 12_000 }), 5000);
    expect(slices).toEqual([
      {
        ...{ fromMs: 4000, toMs: 5000, life: 2, requests: 100, errors: 3, inferencesPerSecond: 200 },
        ...{ p50Us: 4000, p99Us: 12_000 },
      },
    ]);
  });

  it('joins short windows by their medians and sums', () => {
    const { slices, keeper: kept } = keeper(4000);
    for (const [at, p99Us] of [9000, 30_000, 10_000].entries()) kept.add(window({ p99Us }), 1500 + 1000 * at);
    expect(slices).toMatchObject([
      { fromMs: 500, toMs: 3500, requests: 300, p99Us: 10_000, inferencesPerSecond: 200 },
    ]);
    kept.add(window({ p99Us: null, p50Us: null }), 4500);
    expect(slices).toHaveLength(1);
    kept.flush(4600);
    kept.flush(4700);
    expect(slices[1]).toMatchObject({ fromMs: 3500, toMs: 4600, p99Us: null });
    expect(slices).toHaveLength(2);
  });

  it('counts refused requests apart from errors, and has none of windows without', () => {
    const { slices, keeper: kept } = keeper(2000);
    kept.add(window({ errorCount: 1 }), 1000);
    kept.add(window({ refusedCount: 4 }), 2000);
    kept.add(window({ requestCount: 0, errorCount: 5, p50Us: null, p99Us: null }), 4000);
    kept.flush(4000);
    expect(slices).toMatchObject([
      { requests: 200, errors: 1, refused: 4 },
      { requests: 0, errors: 5, p50Us: null, p99Us: null },
    ]);
    expect(slices[1]).not.toHaveProperty('refused');
  });
});
