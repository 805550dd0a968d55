import { describe, expect, it } from 'vitest';
import { comparedBatches } from '../../../main/toolkit/compared-batches';
import { specFixture } from '../../support/run-state';

type Edit = Parameters<typeof specFixture>[0];
const planned = (edit: NonNullable<Edit>) => comparedBatches(specFixture(edit));

describe('the batch sizes that framework and Triton are compared at', () => {
  it('are one, the largest and every measured one, each once and ascending', () => {
    const { sizes } = planned((spec) => {
      spec.configure.maxBatchSize = 16;
      spec.performance.batchSizes = [8, 1, 2];
      spec.performance.onlineBatchSize = 4;
    });
    expect(sizes).toEqual([1, 2, 4, 8, 16]);
  });

  it('have one where the model takes one, however it came to that', () => {
    const one = { sizes: [1], gathered: 0 };
    const disabled = planned((spec) => {
      spec.configure.batching = 'disabled';
      spec.configure.maxBatchSize = 8;
    });
    const fixed = planned((spec) => {
      spec.configure.maxBatchSize = 1;
      spec.performance.batchSizes = [1];
    });
    const stateful = planned((spec) => {
      spec.configure.configPatch = { sequenceBatching: { oldest: { maxCandidateSequences: 4 } } };
    });
    for (const found of [disabled, fixed, stateful]) expect(found).toMatchObject(one);
  });

  it('are also those that a dynamic batcher makes, of as many requests as a batch takes and at most eight', () => {
    const gathered = (batching: 'static' | 'dynamic', maxBatchSize: number) =>
      planned((spec) => {
        spec.configure.batching = batching;
        spec.configure.maxBatchSize = maxBatchSize;
      }).gathered;
    expect([gathered('static', 8), gathered('dynamic', 4), gathered('dynamic', 128)]).toEqual([0, 4, 8]);
  });

  it('are made of no more samples than the accuracy check takes', () => {
    expect(planned(() => undefined).samples).toBe(8);
    const few = planned((spec) => {
      spec.accuracy.samples = 3;
    });
    expect(few.samples).toBe(3);
  });
});
