import { describe, expect, it } from 'vitest';
import { planServerLoad, readLevels } from '../../../../main/domain/run/server-plan';
import { serverLoadFixture } from '../../../support/server-load';

describe('the levels of a running Triton', () => {
  it('are each batch size with each concurrency', () => {
    expect(readLevels({ batchSizes: [1, 2], concurrency: [4, 8] })).toEqual([
      { batchSize: 1, concurrency: 4 },
      { batchSize: 1, concurrency: 8 },
      { batchSize: 2, concurrency: 4 },
      { batchSize: 2, concurrency: 8 },
    ]);
  });

  it('are at the mean rate of intervals, for each batch size', () => {
    expect(readLevels({ batchSizes: [1, 2], intervalsUs: [1000, 3000] })).toMatchObject([
      { batchSize: 1, requestRate: 500 },
      { batchSize: 2, requestRate: 500 },
    ]);
  });

  it('have a rate or intervals, and one limit of concurrent requests with either', () => {
    expect(() => readLevels({ batchSizes: [1], requestRates: [5], intervalsUs: [1000] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: 'performance.requestIntervalsUs' }),
    );
    expect(() => readLevels({ batchSizes: [1], requestRates: [5], concurrency: [1, 2] })).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: 'performance.concurrency' }),
    );
  });
});

describe('a load that somebody asked for', () => {
  const planOf = (performance: Record<string, unknown>) => {
    const { addresses, models, modelVersion, sources, shapes } = serverLoadFixture();
    const what = { addresses, models, modelVersion, sources, shapes };
    return planServerLoad({ ...what, given: { performance }, inTurns: true, limits: {} });
  };

  it('has the defaults of who waits, and several levels in turns', () => {
    const load = planOf({ concurrency: [1, 4] });
    expect(load.settings).toMatchObject({ measurementIntervalMs: 2000, protocol: 'grpc' });
    expect(load).toMatchObject({ inTurns: true, tools: ['native'], search: null, repeats: 1 });
    expect(planOf({}).inTurns).toBe(false);
  });

  describe('on a host', () => {
    const { addresses, models, modelVersion, sources, shapes } = serverLoadFixture();
    const what = { addresses, models, modelVersion, sources, shapes, host: 'gpu1' };
    const how = { given: { performance: { concurrency: [1, 4] } }, inTurns: true, limits: {} };
    const tls = { ...addresses, httpTls: {} };
    const shared = { performance: { sharedMemory: 'system' } };

    it('is measured there level by level, in a container', () => {
      expect(planServerLoad({ ...what, ...how })).toMatchObject({ host: 'gpu1', inTurns: false });
    });

    it.each([
      ['models', { ...what, ...how, models: [...models, { name: 'other', weight: 1 }] }],
      ['header', { ...what, ...how, headerNames: ['Authorization'] }],
      ['url', { ...what, ...how, addresses: tls }],
      ['performance.sharedMemory', { ...what, ...how, given: shared }],
    ])('is refused for what its load generator cannot do: %s', (where, wanted) => {
      expect(() => planServerLoad(wanted)).toThrow(
        expect.objectContaining({ code: 'combination-unsupported', where }),
      );
    });
  });

  it.each([
    ['performance.protocol', { protocol: 'ftp' }],
    ['performance.latencyThresholdMs', { search: 'binary' }],
    ['performance.requestSeed', { requestRates: [5], requestSeed: 7 }],
    ['performance.nothing', { nothing: 1 }],
  ])('names the field %s', (where, performance) => {
    expect(() => planOf(performance)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
    if (where !== 'performance.nothing') {
      expect(() => planOf(performance)).toThrow(expect.objectContaining({ where }));
    }
  });
});
