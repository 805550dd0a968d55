import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { parseModelStatistics } from '../../../main/triton/statistics';

const zero = { count: 0, ns: 0 };

describe('model statistics', () => {
  it('reads counters as numbers and as strings, and takes what is left out as 0', () => {
    const reply = {
      model_stats: [
        {
          name: 'm',
          version: '1',
          last_inference: '1795249466119',
          inference_count: 6,
          execution_count: '2',
          inference_stats: {
            success: { count: '6', ns: '40093278' },
            queue: { count: 6, ns: 220_930 },
            compute_infer: { count: 6 },
          },
          batch_stats: [{ batch_size: '3', compute_infer: { count: '2', ns: '39567885' } }],
        },
      ],
    };
    expect(parseModelStatistics(reply)).toEqual([
      {
        name: 'm',
        version: '1',
        lastInferenceMs: 1_795_249_466_119,
        inferenceCount: 6,
        executionCount: 2,
        success: { count: 6, ns: 40_093_278 },
        fail: zero,
        queue: { count: 6, ns: 220_930 },
        computeInput: zero,
        computeInfer: { count: 6, ns: 0 },
        computeOutput: zero,
        cacheHit: zero,
        cacheMiss: zero,
        batches: [
          {
            batchSize: 3,
            computeInput: zero,
            computeInfer: { count: 2, ns: 39_567_885 },
            computeOutput: zero,
          },
        ],
      },
    ]);
  });

  it.each([
    [null],
    [{}],
    [{ model_stats: [{ name: 'm', version: '1', inference_count: -1 }] }],
    [{ model_stats: [{ name: 'm', version: '1', inference_count: 'many' }] }],
    [{ model_stats: [{ name: 'm', version: '1', batch_stats: [{ batch_size: 'x' }] }] }],
  ])('refuses %j', (reply) => {
    expect(() => parseModelStatistics(reply)).toThrow('statistics');
  });

  it('refuses millions of wrong entries with a word on the first, and more batch sizes than there are', () => {
    const refused = (reply: unknown): WorkbenchError => {
      try {
        parseModelStatistics(reply);
      } catch (error) {
        if (error instanceof WorkbenchError) return error;
      }
      throw new Error('it was taken');
    };
    const zeros = Array<number>(1_000_000).fill(0);
    expect(refused({ model_stats: zeros }).details?.length).toBeLessThan(1000);
    const models = (batch_stats: readonly unknown[]) => ({
      model_stats: ['a', 'b'].map((name) => ({ name, version: '1', batch_stats })),
    });
    expect(refused(models(zeros.slice(0, 1000))).details?.length).toBeLessThan(1000);
    const batches = Array.from({ length: 25_001 }, () => ({ batch_size: 1 }));
    expect(refused(models(batches)).details).toBe('More than 50000 batch sizes');
    expect(parseModelStatistics(models(batches.slice(0, 100)))[1]?.batches).toHaveLength(100);
  });
});
