import { describe, expect, it } from 'vitest';
import {
  isPredictable,
  isPredicted,
  predictableRun,
  whatIf,
  type WhatIfAsk,
} from '../../../../main/domain/predict/what-if';
import { predictableState, simulatedLevel } from '../../../support/predictable-run';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

function answered(ask: WhatIfAsk) {
  const found = whatIf(predictableState(), ask);
  if (!isPredicted(found)) throw new Error(found.reason);
  return found;
}

describe('what if', () => {
  it('finds a load between the measured ones, which the run was not fed with', () => {
    const truth = simulatedLevel(10);
    const { predicted, present } = answered({ concurrency: 10 });
    const ratio = (one: number | undefined, other: number) => (one ?? 0) / other;
    expect(ratio(predicted.predictedInferencesPerSecond, truth.inferencesPerSecond)).toBeCloseTo(1, 1);
    expect(ratio(predicted.predictedLatency?.p99Us, truth.p99Us)).toBeCloseTo(1, 1);
    expect(predicted.isOutside).toBe(false);
    expect(present).toBeNull();
  });

  it('takes the load of the best level where none is given, and compares with the present configuration', () => {
    const found = answered({ maxBatchSize: 2 });
    expect(found.arrivals).toEqual({ kind: 'closed', concurrency: 16 });
    const { predicted, present } = found;
    // Two rows in 2 ms against eight in 5 ms.
    expect(predicted.predictedInferencesPerSecond).toBeLessThan(1010);
    expect(present?.predictedInferencesPerSecond).toBeGreaterThan(1400);
  });

  it('says where it is outside of what was measured, and of a rate that is too high that its queue has no end', () => {
    expect(answered({ instances: 2 }).predicted.isOutside).toBe(true);
    expect(answered({ maxBatchSize: 16 }).predicted.isOutside).toBe(true);
    expect(answered({ rate: 500 }).predicted.isOutside).toBe(false);
    expect(answered({ rate: 5000 }).predicted).toMatchObject({ isOverloaded: true, predictedLatency: null });
    expect(answered({}).range).toEqual({ largestBatch: 8, busyInstances: 1 });
  });

  it('is not given where it would be a guess', () => {
    const reason = expect.stringMatching(
      /^Not predicted: the run measured executions of up to 8 rows on up to 1 busy instance, /,
    ) as string;
    expect(whatIf(predictableState(), { instances: 3 })).toEqual({ reason });
    expect(whatIf(predictableState(), { maxBatchSize: 64, concurrency: 200 })).toEqual({ reason });
    // As far as its batches are small, a large maximum says nothing.
    expect(isPredicted(whatIf(predictableState(), { maxBatchSize: 64, rate: 300 }))).toBe(true);
  });

  it('knows how far it is off for the levels of the run', () => {
    const { check } = answered({});
    expect(check.levels).toBe(4);
    expect(check.throughput).toBeLessThan(0.1);
    expect(check.p99).toBeLessThan(0.25);
  });

  it('has a reason where nothing can be predicted', () => {
    const without = stateOf([
      ...createdBodies(),
      measurementBody('online', pointFixture({ serverQueueUs: null, serverComputeInferUs: null })),
    ]);
    expect(whatIf(without, {})).toEqual({ reason: expect.stringContaining('execution times') as string });
    expect(isPredictable(predictableRun(without))).toBe(false);
    expect(whatIf(stateOf(createdBodies()), {})).toEqual({
      reason: expect.stringContaining('no measured level') as string,
    });
    const foreign = { ...without, source: { kind: 'imported' } } as unknown as typeof without;
    expect(whatIf(foreign, {})).toEqual({ reason: expect.stringContaining('configuration') as string });
  });
});
