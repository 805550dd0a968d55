import { describe, expect, it } from 'vitest';
import { planReplay } from '../../../../../main/perf/native/requests/replay-payloads';

const job = (samples: number, bytes = 4) => ({
  tensors: [
    {
      ...{ name: 'IN', datatype: 'FP32' as const, shape: [1] },
      samples: Array.from({ length: samples }, () => new Uint8Array(bytes)),
    },
  ],
});
const arrivals = (sizes: number[], firsts = sizes.map(() => -1)) => ({
  sizes: Int32Array.from(sizes),
  firsts: Int32Array.from(firsts),
});

describe('planReplay', () => {
  it('takes the next samples in turn, as many as each request has, and those that are named', () => {
    const { parts, order } = planReplay(job(4), arrivals([1, 2, 2, 1, 1], [-1, -1, 0, -1, -1]));
    expect([...order].map((at) => parts[at])).toEqual([
      { first: 0, size: 1 },
      { first: 1, size: 2 },
      { first: 0, size: 2 },
      { first: 3, size: 1 },
      { first: 0, size: 1 },
    ]);
    expect(parts).toHaveLength(4);
  });

  it('makes each request once', () => {
    const { parts, repeated } = planReplay(job(2), arrivals(Array.from({ length: 1000 }, () => 1)));
    expect(parts).toHaveLength(2);
    expect(repeated).toBe(0);
  });

  it('repeats requests in turn beyond 256 MiB, and refuses named ones', () => {
    const large = job(4, 100 * 2 ** 20);
    const { parts, order, repeated } = planReplay(large, arrivals([1, 1, 1, 1]));
    expect(parts).toHaveLength(2);
    expect(repeated).toBe(2);
    expect(Math.max(...order)).toBe(1);
    expect(() => planReplay(large, arrivals([1, 1, 1], [0, 1, 2]))).toThrow('more than 256 MiB');
  });
});
