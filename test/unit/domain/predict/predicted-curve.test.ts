import { describe, expect, it } from 'vitest';
import { predictedCurve } from '../../../../main/domain/predict/predicted-curve';
import { predictableState, simulatedLevel } from '../../../support/predictable-run';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

describe('the curve between the measured levels', () => {
  it('goes from the lowest to the highest measured load and not beyond', () => {
    const curve = predictedCurve(predictableState());
    expect(curve[0]?.load).toBe(1);
    expect(curve.at(-1)?.load).toBe(32);
    expect(curve.length).toBeGreaterThan(8);
    const near = curve.find(({ load }) => load >= 7) ?? curve[0];
    const truth = simulatedLevel(near?.load ?? 1);
    expect((near?.inferencesPerSecond ?? 0) / truth.inferencesPerSecond).toBeCloseTo(1, 1);
  });

  it('is not drawn from one level, between loads of several kinds, or without execution times', () => {
    const state = predictableState();
    const { points } = state.scenarios.online;
    const withPoints = (own: typeof points) => ({
      ...state,
      scenarios: { ...state.scenarios, online: { ...state.scenarios.online, points: own } },
    });
    expect(predictedCurve(withPoints(points.slice(0, 1)))).toEqual([]);
    const [first, ...rest] = points;
    if (first === undefined) throw new Error('no level');
    const larger = { ...first, point: { ...first.point, batchSize: 2 } };
    expect(predictedCurve(withPoints([larger, ...rest]))).toEqual([]);
    const bare = stateOf([
      ...createdBodies(),
      ...[1, 4].map((concurrency) =>
        measurementBody('online', pointFixture({ concurrency, serverComputeInferUs: null })),
      ),
    ]);
    expect(predictedCurve(bare)).toEqual([]);
  });

  it('is not drawn where it does not find the measured levels again', () => {
    const state = predictableState();
    const points = state.scenarios.online.points.map((one) => ({
      ...one,
      point: { ...one.point, inferencesPerSecond: 9 * one.point.inferencesPerSecond },
    }));
    const online = { ...state.scenarios.online, points };
    expect(predictedCurve({ ...state, scenarios: { ...state.scenarios, online } })).toEqual([]);
  });
});
