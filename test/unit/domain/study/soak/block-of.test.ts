import { describe, expect, it } from 'vitest';
import { addedReadings, blockOf } from '../../../../../main/domain/study/soak/block-of';
import { reading } from '../../../../support/soaked';

describe('blockOf', () => {
  it('takes the median of each process, and what was counted last', () => {
    const samples = [10, 500, 12].map((rss, at) => ({
      ...{ atMs: 1000 * at, life: 2, requests: 100 * at, reloads: at },
      readings: [reading({ rss }), ...(at === 1 ? [] : [reading({ role: 'stub', model: 'a', rss: 7 + at })])],
    }));
    const block = blockOf(samples);
    expect(block).toMatchObject({ fromMs: 0, toMs: 2000, life: 2, requests: 200, reloads: 2 });
    expect(block?.readings.map(({ role, model, rss, gpu }) => [role, model, rss, gpu])).toEqual([
      ['server', undefined, 12, null],
      ['stub', 'a', 8, null],
    ]);
  });

  it('has none without samples', () => {
    expect(blockOf([])).toBeNull();
  });
});

describe('addedReadings', () => {
  it('adds up the stubs of a model, and keeps unknown what is not known of one', () => {
    const stub = (of: object) => reading({ role: 'stub', model: 'a', ...of });
    const [both, other] = addedReadings([
      stub({ rss: 1, gpu: 5 }),
      stub({ rss: 2, gpu: null }),
      stub({ model: 'b', rss: 9 }),
    ]);
    expect(both).toMatchObject({ model: 'a', count: 2, rss: 3, gpu: null, threads: 80 });
    expect(other).toMatchObject({ model: 'b', count: 1, rss: 9 });
  });
});
