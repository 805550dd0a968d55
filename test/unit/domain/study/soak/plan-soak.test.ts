import { describe, expect, it } from 'vitest';
import type { SoakRequest } from '../../../../../main/contract/study/soak';
import { planSoak, soakTimes } from '../../../../../main/domain/study/soak/plan-soak';
import { runA } from '../../../../support/duel';
import {
  createdBodies,
  deployed,
  measurementBody,
  pointFixture,
  preparationBodies,
  specFixture,
  stateOf,
} from '../../../../support/run-state';

const of = { subject: { kind: 'run' as const, runId: runA }, title: 'nightly' };

function plan(
  change: Partial<SoakRequest> = {},
  point: Parameters<typeof pointFixture>[0] = { batchSize: 2, concurrency: 16, inferencesPerSecond: 400 },
) {
  const spec = specFixture((own) => {
    own.configure.maxBatchSize = 8;
  });
  const measured = measurementBody('online', pointFixture(point));
  const run = deployed(stateOf([...createdBodies(spec), ...preparationBodies(), measured]));
  const request = { of: { runId: runA }, forMs: 3_600_000, ...change, name: 'night' };
  return planSoak(request, { ...of, run: { ...run, runId: runA } });
}

describe('planSoak', () => {
  it('takes 60 % of what the run held, and says of what', () => {
    const { soak, notes } = plan();
    expect(soak).toMatchObject({ level: { batchSize: 2, requestRate: 120 }, title: 'nightly', criteria: [] });
    expect(notes[0]).toBe('Load: 120 requests/s, 60 % of the 200 that the run held at batch size 2.');
  });

  it('takes a share of another batch size in proportion to its rows', () => {
    expect(plan({ load: { share: 0.5 }, batchSize: 1 }).soak.level).toEqual({
      batchSize: 1,
      requestRate: 200,
    });
  });

  it('sends a rate or a concurrency as it was typed', () => {
    expect(plan({ load: { requestRate: 7 } }).soak.level).toEqual({ batchSize: 2, requestRate: 7 });
    expect(plan({ load: { concurrency: 3 } }).soak.level).toEqual({ batchSize: 2, concurrency: 3 });
  });

  it('has no share of a run that answered nothing', () => {
    expect(() => plan({}, { inferencesPerSecond: 0, requestCount: 0 })).toThrow(
      /no level to take a share of/,
    );
    expect(plan({ load: { requestRate: 7 } }, { inferencesPerSecond: 0 }).soak.level).toMatchObject({
      requestRate: 7,
    });
  });

  it('has no share of a server that nothing is known of', () => {
    const request = { of: { runId: runA }, forMs: 60_000, name: 'night' };
    expect(() => planSoak(request, { ...of, run: null })).toThrow(/capacity of the server is not known/);
  });

  it('loads the model anew by time, or by requests at a rate', () => {
    expect(plan({ reloadEvery: { requests: 600 } }).soak.reloadMs).toBe(5000);
    expect(plan({ reloadEvery: { ms: 30_000 } }).notes.at(-1)).toMatch(
      /unloaded and loaded every 30(\.0)? s/,
    );
    expect(() => plan({ reloadEvery: { requests: 600 }, load: { concurrency: 2 } })).toThrow(
      /only with --rate/,
    );
    expect(() => plan({ reloadEvery: { ms: 100 } })).toThrow(/every 100/);
    expect(() => plan({ reloadEvery: { ms: 3_000_000 } })).toThrow(/every 50/);
  });

  it('refuses what is too short, too large, and not a criterion', () => {
    expect(() => plan({ forMs: 9000 })).toThrow(/too short/);
    expect(() => plan({ batchSize: 16 })).toThrow(/at most 8 rows/);
    expect(() => plan({ criteria: ['rss>1MB'] })).toThrow(/not a criterion/);
  });
});

it('reads more often in a short soak, and keeps medians of at most five minutes', () => {
  expect(soakTimes(40_000, undefined)).toEqual({ readMs: 333, blockMs: 666, sliceMs: 2500 });
  expect(soakTimes(8 * 3_600_000, undefined)).toEqual({ readMs: 5000, blockMs: 300_000, sliceMs: 900_000 });
  expect(soakTimes(40_000, 2000)).toMatchObject({ readMs: 2000, blockMs: 4000 });
});
