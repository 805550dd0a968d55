import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { fitServiceTimes } from '../../../../main/domain/predict/fit-service-times';
import { predict, type PredictedServing } from '../../../../main/domain/predict/predict';
import { pointFixture } from '../../../support/run-state';

const single: PredictedServing = {
  ...{ maxBatchSize: 0, batching: 'disabled', preferredBatchSizes: [], maxQueueDelayUs: 0, instances: 1 },
};

/** A level whose server counted executions of these batches, 500 us besides them. */
function level(
  change: Partial<LoadPoint>,
  executedBatches: NonNullable<LoadPoint['executedBatches']>,
  queueUs = 0,
): LoadPoint {
  const computeUs = executedBatches[0]?.computeUs ?? 0;
  return pointFixture({
    serverQueueUs: queueUs,
    serverComputeInputUs: 0,
    serverComputeInferUs: computeUs,
    serverComputeOutputUs: 0,
    avgUs: queueUs + computeUs + 500,
    executedBatches,
    ...change,
  });
}

describe('the fitted times', () => {
  it('are those that the server counted by batch, each level by its executions', () => {
    const points = [
      level({ concurrency: 1 }, [{ batchSize: 1, count: 100, computeUs: 1000 }]),
      level({ concurrency: 8 }, [
        { batchSize: 1, count: 300, computeUs: 2000 },
        { batchSize: 4, count: 50, computeUs: 3000 },
        { batchSize: 7, count: 2, computeUs: 9000 },
      ]),
    ];
    const fit = fitServiceTimes(points.map((point) => ({ point, serving: single })));
    // 100 executions of 1 ms and 300 of 2 ms; two executions say nothing.
    expect(fit?.serviceTimes).toEqual([
      { batch: 1, busyInstances: 1, computeUs: 1750 },
      { batch: 4, busyInstances: 1, computeUs: 3000 },
    ]);
    expect((fit?.overhead.fixedUs ?? 0) + (fit?.overhead.perAnswerUs ?? 0)).toBeCloseTo(500);
  });

  it('know how many instances were at work', () => {
    const batches = [{ batchSize: 1, count: 1000, computeUs: 2000 }];
    const of = (concurrency: number, inferencesPerSecond: number) =>
      fitServiceTimes([
        { point: level({ concurrency, inferencesPerSecond }, batches), serving: { ...single, instances: 2 } },
      ])?.serviceTimes[0]?.busyInstances;
    expect(of(1, 400)).toBe(1);
    expect(of(8, 1000)).toBe(2);
    expect(of(8, 500)).toBe(1.5);
  });

  it('take the mean of a level without counts only where all of its batches were of one size', () => {
    const of = (meanServerBatch: number) =>
      fitServiceTimes([
        {
          point: pointFixture({
            batchSize: 4,
            meanServerBatch,
            serverComputeInputUs: 10,
            serverComputeInferUs: 900,
            serverComputeOutputUs: 5,
          }),
          serving: single,
        },
      ]);
    expect(of(4)?.serviceTimes).toEqual([{ batch: 4, busyInstances: 1, computeUs: 915 }]);
    expect(of(6.5)).toBeNull();
  });

  it('leave out levels with errors, a cache or without the server’s times', () => {
    const batches = [{ batchSize: 1, count: 100, computeUs: 1000 }];
    const of = (change: Partial<LoadPoint>) =>
      fitServiceTimes([{ point: level(change, batches), serving: single }]);
    expect(of({})).not.toBeNull();
    expect(of({ flags: ['errors'] })).toBeNull();
    expect(of({ serverTimesFault: 'constant' })).toBeNull();
    expect(of({ cache: { hitCount: 1, missCount: 1, hitUs: 1, missUs: 1 } })).toBeNull();
    expect(of({ serverQueueUs: null })).toBeNull();
  });

  it('vary as the latencies of a level that does not wait', () => {
    const point = level({}, [{ batchSize: 1, count: 1000, computeUs: 1000 }]);
    // Nine of ten about 1.5 ms, the tenth about 6 ms.
    const histogram = { edgesUs: [1000, 2000, 4000, 8000], counts: [900, 0, 100] };
    const fit = fitServiceTimes([{ point: { ...point, histogram }, serving: single }]);
    const values = fit?.serviceVariation?.[0]?.factors ?? [];
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(1);
    expect(values.filter((value) => value > 2).length / values.length).toBeCloseTo(0.1, 1);
    // Short levels make up for their number together; few requests in all say nothing of a tail.
    const short = { edgesUs: histogram.edgesUs, counts: [36, 0, 4] };
    const of = (count: number) =>
      fitServiceTimes(
        Array.from({ length: count }, () => ({ point: { ...point, histogram: short }, serving: single })),
      )?.serviceVariation;
    expect(of(3)?.[0]?.factors).toHaveLength(120);
    expect(of(2)).toBeUndefined();
    const two = { point: { ...point, concurrency: 2, histogram }, serving: { ...single, instances: 2 } };
    const apart = fitServiceTimes([{ point: { ...point, histogram }, serving: single }, two]);
    expect(apart?.serviceVariation?.map(({ busyInstances }) => busyInstances)).toEqual([1, 2]);
    const waiting = level({}, point.executedBatches ?? [], 5000);
    expect(
      fitServiceTimes([{ point: { ...waiting, histogram }, serving: single }])?.serviceVariation,
    ).toBeUndefined();
  });

  it('feed a prediction that finds the level again', () => {
    const executedBatches = [{ batchSize: 1, count: 1000, computeUs: 1000 }];
    const point = level({ concurrency: 1, inferencesPerSecond: 1e6 / 1500 }, executedBatches);
    const fit = fitServiceTimes([{ point, serving: single }]);
    if (fit === null) throw new Error('nothing was fitted');
    const prediction = predict({
      ...fit,
      serving: single,
      arrivals: { kind: 'closed', concurrency: 1 },
    });
    expect(prediction.predictedInferencesPerSecond).toBeCloseTo(point.inferencesPerSecond, 1);
    expect(prediction.isOutside).toBe(false);
  });
});

it('does not feed on levels whose figures are no numbers', () => {
  const counted = [{ batchSize: 1, count: 100, computeUs: 1000 }];
  for (const change of [{ avgUs: NaN }, { inferencesPerSecond: Infinity }, { concurrency: NaN }]) {
    expect(fitServiceTimes([{ point: level(change, counted), serving: single }])).toBeNull();
  }
});
