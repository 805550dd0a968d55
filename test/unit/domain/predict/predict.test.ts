import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Arrivals,
  predict,
  type PredictedServing,
  type ServiceTimePoint,
} from '../../../../main/domain/predict/predict';

const alone: PredictedServing = {
  maxBatchSize: 0,
  batching: 'disabled',
  preferredBatchSizes: [],
  maxQueueDelayUs: 0,
  instances: 1,
};
const dynamic: PredictedServing = { ...alone, batching: 'dynamic', maxBatchSize: 8 };

const at = (batch: number, computeUs: number, busyInstances = 1): ServiceTimePoint => ({
  batch,
  busyInstances,
  computeUs,
});
/** 1 ms for a batch, and 0.5 ms for each row. */
const paying = [1, 2, 4, 8].map((batch) => at(batch, 1000 + 500 * batch));
const fixed = (fixedUs: number) => ({ fixedUs, perAnswerUs: 0 });
const none = fixed(0);
const closed = (concurrency: number): Arrivals => ({ kind: 'closed', concurrency });
const poisson = (requestRate: number): Arrivals => ({ kind: 'poisson', requestRate });

describe('closed forms', () => {
  it.each([0.3, 0.6, 0.8])('has the waiting time of M/D/1 at a load of %f', (load) => {
    const serviceUs = 1000;
    const prediction = predict({
      serving: alone,
      serviceTimes: [at(1, serviceUs)],
      overhead: none,
      arrivals: poisson((1e6 * load) / serviceUs),
      requestCount: 200_000,
    });
    const waitUs = (load / (2 * (1 - load))) * serviceUs;
    expect(Math.abs((prediction.predictedQueueUs ?? 0) - waitUs)).toBeLessThan(0.05 * waitUs);
    expect(prediction.predictedBusyShare).toBeCloseTo(load, 2);
    expect(prediction.isOverloaded).toBe(false);
  });

  it('has the mean latency of M/M/1 with exponential executions', () => {
    const quantiles = Array.from({ length: 2000 }, (_unused, index) => -Math.log(1 - (index + 0.5) / 2000));
    const prediction = predict({
      serving: alone,
      serviceTimes: [at(1, 1000)],
      serviceVariation: [{ batch: 1, factors: quantiles }],
      overhead: none,
      arrivals: poisson(500),
      requestCount: 200_000,
    });
    expect(prediction.predictedLatency?.avgUs).toBeGreaterThan(1900);
    expect(prediction.predictedLatency?.avgUs).toBeLessThan(2100);
    // Exponential with the mean: its p99 is ln 100 times it.
    expect(prediction.predictedLatency?.p99Us).toBeGreaterThan(0.93 * 2000 * Math.log(100));
    expect(prediction.predictedLatency?.p99Us).toBeLessThan(1.07 * 2000 * Math.log(100));
  });

  it('is execution and overhead with one connection', () => {
    const prediction = predict({
      serving: dynamic,
      serviceTimes: paying,
      overhead: fixed(250),
      arrivals: closed(1),
    });
    expect(prediction.predictedLatency?.avgUs).toBeCloseTo(1750);
    expect(prediction.predictedLatency?.p99Us).toBeCloseTo(1750);
    expect(prediction.predictedInferencesPerSecond).toBeCloseTo(1e6 / 1750, 1);
    expect(prediction.predictedMeanBatch).toBe(1);
    expect(prediction.predictedQueueUs).toBeCloseTo(0);
  });

  it('saturates at instances times the largest batch over its time', () => {
    for (const instances of [1, 2, 3]) {
      const prediction = predict({
        serving: { ...dynamic, instances },
        serviceTimes: [1, 2, 3].flatMap((busy) =>
          paying.map((point) => at(point.batch, point.computeUs, busy)),
        ),
        overhead: none,
        arrivals: closed(100),
      });
      expect(prediction.predictedInferencesPerSecond / ((instances * 8e6) / 5000)).toBeCloseTo(1, 2);
      expect(prediction.predictedMeanBatch).toBeCloseTo(8, 1);
      expect(prediction.predictedBusyShare).toBeCloseTo(1, 3);
    }
  });

  it('gives two instances that slow one another down what the pair gives', () => {
    const prediction = predict({
      serving: { ...alone, instances: 2 },
      serviceTimes: [at(1, 1000, 1), at(1, 1600, 2)],
      overhead: none,
      arrivals: closed(4),
    });
    expect(prediction.predictedInferencesPerSecond).toBeCloseTo(2e6 / 1600, 0);
  });
});

describe('what surrounds an execution', () => {
  it('passes one answer on after the other, so that it can be what limits the throughput', () => {
    const of = (perAnswerUs: number) =>
      predict({
        ...{ serving: dynamic, serviceTimes: paying, arrivals: closed(32) },
        overhead: { fixedUs: 100, perAnswerUs },
      });
    // Eight rows take 5 ms.
    expect(of(100).predictedInferencesPerSecond).toBeCloseTo(1600, -1);
    expect(of(2000).predictedInferencesPerSecond).toBeCloseTo(500, 0);
    // The answers of a batch are passed on together.
    const latencies = predict({
      ...{ serving: { ...dynamic, maxBatchSize: 4 }, serviceTimes: paying, batchSize: 1 },
      overhead: { fixedUs: 100, perAnswerUs: 200 },
      arrivals: { kind: 'recorded', timesUs: [0, 0, 0, 0, 0] },
    }).predictedLatency;
    // The first is executed by itself (1.5 ms), the four that came with it afterwards (3 ms).
    expect(latencies?.p50Us).toBeCloseTo(1500 + 3000 + 4 * 200 + 100);
    expect(latencies?.p99Us).toBeCloseTo(1500 + 3000 + 4 * 200 + 100);
  });

  it('draws the time of an execution from those of the nearest batch', () => {
    const prediction = predict({
      ...{ serving: { ...alone, maxBatchSize: 8 }, serviceTimes: paying, overhead: none },
      serviceVariation: [
        { batch: 1, factors: [1] },
        { batch: 8, factors: [0.5, 1.5] },
      ],
      ...{ arrivals: closed(1), batchSize: 6 },
    });
    expect(prediction.predictedLatency?.p50Us).toBeCloseTo(2000);
    expect(prediction.predictedLatency?.p99Us).toBeCloseTo(6000);
  });

  it('draws it from those with as many busy instances, whatever the batch', () => {
    const of = (instances: number) =>
      predict({
        ...{ serving: { ...alone, instances }, serviceTimes: paying, overhead: none },
        serviceVariation: [
          { batch: 1, factors: [1] },
          { batch: 8, busyInstances: 2, factors: [0.5, 1.5] },
        ],
        arrivals: closed(instances),
      }).predictedLatency;
    const [single, both] = [of(1), of(2)];
    expect(single?.p99Us).toBeCloseTo(single?.p50Us ?? 0);
    expect(both?.p99Us).toBeGreaterThan(1.4 * (single?.p99Us ?? 0));
  });
});

describe('the batcher', () => {
  it('sends a request to a free instance at once, and waits the delay for more where one is set', () => {
    const of = (maxQueueDelayUs: number) =>
      predict({
        serving: { ...dynamic, maxQueueDelayUs },
        serviceTimes: paying,
        overhead: none,
        arrivals: closed(1),
      });
    expect(of(0).predictedQueueUs).toBeCloseTo(0);
    expect(of(3000).predictedQueueUs).toBeCloseTo(3000, 0);
  });

  it('ends the delay as soon as a preferred size is there', () => {
    const of = (preferredBatchSizes: readonly number[]) =>
      predict({
        serving: { ...dynamic, maxQueueDelayUs: 20_000, preferredBatchSizes: [...preferredBatchSizes] },
        serviceTimes: paying,
        overhead: none,
        arrivals: closed(4),
      });
    expect(of([4]).predictedMeanBatch).toBeCloseTo(4, 1);
    expect(of([4]).predictedQueueUs).toBeLessThan(10);
    // Eight never come together: each batch of four waits for them to the end.
    expect(of([]).predictedQueueUs).toBeCloseTo(20_000, -1);
  });

  it('sends smaller batches than it could where a preferred size says so', () => {
    const of = (preferredBatchSizes: readonly number[]) =>
      predict({
        serving: { ...dynamic, preferredBatchSizes: [...preferredBatchSizes] },
        serviceTimes: paying,
        overhead: none,
        arrivals: closed(6),
      });
    expect(of([2]).predictedMeanBatch).toBeLessThan(2.1);
    expect(of([]).predictedMeanBatch).toBeGreaterThan(2.5);
  });

  it('never batches without it, and counts the rows of a request', () => {
    const prediction = predict({
      serving: { ...alone, maxBatchSize: 8 },
      serviceTimes: paying,
      overhead: none,
      arrivals: closed(16),
      batchSize: 4,
    });
    expect(prediction.predictedMeanBatch).toBe(4);
    expect(prediction.predictedInferencesPerSecond).toBeCloseTo(4e6 / 3000, 0);
  });

  it('serves a priority before the others', () => {
    const of = (priorityShares: readonly number[] | undefined) =>
      predict({
        serving: { ...dynamic, maxBatchSize: 1, priorityShares },
        serviceTimes: paying,
        overhead: none,
        arrivals: poisson(600),
        requestCount: 50_000,
      });
    // The mean wait is kept; the shortest waits get shorter and the longest longer.
    const [one, two] = [of(undefined), of([0.2, 0.8])];
    expect((two.predictedQueueUs ?? 0) / (one.predictedQueueUs ?? 1)).toBeCloseTo(1, 1);
    expect(two.predictedLatency?.p99Us).toBeGreaterThan(one.predictedLatency?.p99Us ?? Infinity);
    expect(two.predictedLatency?.p50Us).toBeLessThan(one.predictedLatency?.p50Us ?? 0);
  });
});

describe('what it says of itself', () => {
  it('gives no latency where the queue grows', () => {
    const prediction = predict({
      serving: alone,
      serviceTimes: [at(1, 1000)],
      overhead: none,
      arrivals: poisson(1100),
    });
    expect(prediction).toMatchObject({ isOverloaded: true, predictedLatency: null, predictedQueueUs: null });
    expect(prediction.predictedInferencesPerSecond).toBeCloseTo(1000, -1);
  });

  it('says where batches or instances are outside of what was measured', () => {
    const of = (serving: PredictedServing, points: readonly ServiceTimePoint[]) =>
      predict({ serving, serviceTimes: points, overhead: none, arrivals: closed(32) }).isOutside;
    expect(of(dynamic, paying)).toBe(false);
    expect(of({ ...dynamic, maxBatchSize: 16 }, paying)).toBe(true);
    expect(of({ ...dynamic, instances: 2 }, paying)).toBe(true);
    expect(
      of({ ...dynamic, instances: 2 }, [...paying, ...paying.map((one) => ({ ...one, busyInstances: 1.9 }))]),
    ).toBe(false);
  });

  it('takes recorded times, with a size for each', () => {
    const prediction = predict({
      serving: dynamic,
      serviceTimes: paying,
      overhead: fixed(100),
      arrivals: { kind: 'recorded', timesUs: [0, 0, 50_000], rows: [4, 4, 1] },
    });
    expect(prediction.predictedLatency?.p50Us).toBeCloseTo(3100);
    expect(prediction.predictedLatency?.p99Us).toBeCloseTo(6100);
  });

  it('refuses what has no times or no load', () => {
    const input = { serving: dynamic, serviceTimes: paying, overhead: none, arrivals: closed(1) };
    expect(() => predict({ ...input, serviceTimes: [] })).toThrow(RangeError);
    expect(() => predict({ ...input, arrivals: closed(0) })).toThrow(RangeError);
  });
});

const servings = fc.record({
  maxBatchSize: fc.integer({ min: 1, max: 8 }),
  batching: fc.constantFrom('disabled' as const, 'dynamic' as const),
  preferredBatchSizes: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }),
  maxQueueDelayUs: fc.constantFrom(0, 100, 2000, 20_000),
  instances: fc.integer({ min: 1, max: 4 }),
  priorityShares: fc.option(fc.constant([0.5, 0.5]), { nil: undefined }),
});

it('answers every request whatever the batcher, and keeps to Little’s law', () => {
  const times = [1, 2, 3, 4].flatMap((busy) =>
    paying.map(({ batch, computeUs }) => at(batch, computeUs * busy, busy)),
  );
  fc.assert(
    fc.property(
      servings,
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 0, max: 500 }),
      (serving, concurrency, overheadUs) => {
        const input = {
          serving,
          serviceTimes: times,
          overhead: fixed(overheadUs),
          arrivals: closed(concurrency),
          requestCount: 4000,
        };
        const prediction = predict(input);
        expect(prediction).toEqual(predict(input));
        const { predictedLatency, predictedInferencesPerSecond, predictedMeanBatch } = prediction;
        const inFlight = ((predictedLatency?.avgUs ?? 0) * predictedInferencesPerSecond) / 1e6;
        expect(inFlight / concurrency).toBeCloseTo(1, 1);
        expect(predictedMeanBatch).toBeGreaterThanOrEqual(1);
        expect(predictedMeanBatch).toBeLessThanOrEqual(
          serving.batching === 'dynamic' ? serving.maxBatchSize : 1,
        );
        expect(predictedLatency?.p50Us).toBeGreaterThanOrEqual(1500 + overheadUs - 1);
        expect(predictedLatency?.p99Us).toBeGreaterThanOrEqual(predictedLatency?.p50Us ?? Infinity);
      },
    ),
    { numRuns: 60 },
  );
});

it('keeps the order of requests with one instance and no batches', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 60 }), (gaps) => {
      let nowUs = 0;
      const timesUs = gaps.map((gap) => (nowUs += gap));
      // Each starts when it is there and the one before it has ended.
      let freeUs = 0;
      const responses = timesUs.map((us) => {
        freeUs = Math.max(freeUs, us) + 1500;
        return freeUs - us;
      });
      const { predictedLatency } = predict({
        serving: alone,
        serviceTimes: paying,
        overhead: none,
        arrivals: { kind: 'recorded', timesUs },
      });
      const meanUs = responses.reduce((sum, us) => sum + us, 0) / responses.length;
      if (predictedLatency !== null) expect(predictedLatency.avgUs).toBeCloseTo(meanUs, 3);
    }),
    { numRuns: 100 },
  );
});

describe('times that the clock cannot hold', () => {
  const serving = {
    ...{ maxBatchSize: 8, batching: 'dynamic' as const, preferredBatchSizes: [], maxQueueDelayUs: 1 },
    instances: 2,
  };
  it.each([0, 5e-324, 1e-9, NaN])('end the simulation: %s', (computeUs) => {
    const serviceTimes = [
      { batch: 1, busyInstances: 1, computeUs },
      { batch: 8, busyInstances: 2, computeUs: 6e8 },
    ];
    const overhead = { fixedUs: 6e8, perAnswerUs: 0 };
    const predicted = predict({
      ...{ serving, serviceTimes, overhead, arrivals: { kind: 'closed', concurrency: 8 } },
      requestCount: 500,
    });
    expect(predicted).toHaveProperty('isOutside');
  });
});
