import { describe, expect, it } from 'vitest';
import type { ColdStart } from '../../../../../main/contract/measured/cold-start';
import { cellText } from '../../../../../main/contract/measured/column';
import {
  coldBars,
  coldColumns,
  coldLines,
  coldRows,
  coldStartOf,
  steadyLatencies,
} from '../../../../../main/domain/measured/cold/cold-start';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../../support/run-state';

const cold: ColdStart = {
  key: 'k',
  loads: 'own',
  startUs: 1_600_000,
  loadUs: 480_000,
  readyUs: 2_080_000,
  requests: [
    { batchSize: 1, firstUs: 302_000 },
    { batchSize: 4, firstUs: 6000 },
    { batchSize: 8, firstUs: 312_000 },
  ],
  warmUp: [],
};
const steady = [1, 4, 8].map((batchSize) => ({ batchSize, p50Us: 5000, p99Us: 8000 }));
const linesOf = (of: ColdStart, levels = steady) => coldLines(of, coldRows(of, levels));

describe('a first request', () => {
  it('is compared with the level of fewest requests in flight at its batch size', () => {
    const unsteady = { flags: ['unstable' as const], stable: false };
    const state = stateOf([
      ...createdBodies(),
      measurementBody('online', pointFixture({ batchSize: 4, concurrency: 8, p50Us: 90_000 })),
      measurementBody('online', pointFixture({ batchSize: 4, concurrency: 2, p50Us: 30_000, p99Us: 40_000 })),
      measurementBody('offline', pointFixture({ batchSize: 4, p50Us: 20_000, ...unsteady })),
      measurementBody('offline', pointFixture({ batchSize: 8, p50Us: 50_000, p99Us: 60_000, ...unsteady })),
      measurementBody('offline', pointFixture({ batchSize: 16, flags: ['errors'] })),
    ]);
    expect(steadyLatencies(state)).toEqual([
      { batchSize: 4, p50Us: 30_000, p99Us: 40_000 },
      { batchSize: 8, p50Us: 50_000, p99Us: 60_000 },
    ]);
  });

  it('is slow above twice the steady p99, and ten milliseconds', () => {
    const isCold = (firstUs: number, p99Us: number) =>
      coldRows({ ...cold, requests: [{ batchSize: 1, firstUs }] }, [{ batchSize: 1, p50Us: 1000, p99Us }])[0]
        ?.isCold;
    expect([isCold(10_900, 2000), isCold(11_100, 2000)]).toEqual([false, true]);
    expect([isCold(79_000, 40_000), isCold(81_000, 40_000)]).toEqual([false, true]);
  });

  it('without a level, or without a response, is not judged', () => {
    const rows = coldRows({ ...cold, requests: [{ batchSize: 2, firstUs: null, error: 'refused' }] }, steady);
    expect(rows).toMatchObject([{ steadyUs: null, isCold: null, error: 'refused' }]);
    expect(linesOf(cold, [])).not.toContainEqual(expect.stringContaining('slow'));
  });

  it('of a deployment is compared with what its run measured', () => {
    const rows = coldRows({ ...cold, steady: [{ batchSize: 1, p50Us: 301_000, p99Us: 303_000 }] }, steady);
    expect(rows.map(({ steadyUs, isCold }) => [steadyUs, isCold])).toEqual([
      [301_000, false],
      [null, null],
      [null, null],
    ]);
  });
});

describe('the sentences', () => {
  it('have the times of a start, and the slow batch sizes with the worst of them', () => {
    expect(linesOf(cold)).toEqual([
      'Ready to serve after 2.1 s: Triton starts in 1.6 s, the model loads in 480 ms.',
      'The first request is slow at batch sizes 1 and 8: at most 312.0 ms in place of 5.00 ms (batch size 8).',
      'Each first request had a load of its own, before the load that was measured.',
    ]);
  });

  it('name one slow batch size once, with its own time', () => {
    const lines = linesOf({ ...cold, requests: [{ batchSize: 8, firstUs: 312_000 }] });
    expect(lines).toContain('The first request is slow at batch size 8: 312.0 ms in place of 5.00 ms.');
  });

  it('say which batch sizes a warm-up does not reach, and where it did not help', () => {
    const lines = linesOf({ ...cold, warmUp: [1, 4] });
    expect(lines).toContain('The warm-up does not reach batch size 8: it had no effect there.');
    expect(lines).toContain('The warm-up has batch size 1, but the first request is still slow there.');
  });

  it('say that nothing is slow, and that the load was shared', () => {
    const shared: ColdStart = {
      ...cold,
      ...{ loads: 'shared', loadUs: 25_000_000, startUs: null, readyUs: null },
      requests: [1, 8].map((batchSize) => ({ batchSize, firstUs: 6000 })),
    };
    expect(linesOf(shared)).toEqual([
      'The model loads in 25.0 s.',
      'The first request is not slow: batch sizes 1 and 8.',
      'All first requests came in this order after one load: work that is done once for all of them counts in the first.',
    ]);
    // One request shares its load with no other.
    expect(linesOf({ ...shared, requests: shared.requests.slice(0, 1) })).toEqual([
      'The model loads in 25.0 s.',
      'The first request is not slow: batch size 1.',
    ]);
  });

  it('say why a first request was not measured', () => {
    const reason = 'Triton was already running, and the model had already served requests';
    const none = {
      loads: 'running',
      startUs: null,
      loadUs: null,
      readyUs: null,
      requests: [],
      reason,
    } as const;
    expect(linesOf({ key: 'k', warmUp: [], ...none, requests: [] })).toEqual([
      `First requests were not measured: ${reason}.`,
    ]);
  });

  it('name the shape that is slow', () => {
    const requests = [
      { batchSize: 1, firstUs: 6000, shape: 'ids [16]' },
      { batchSize: 1, firstUs: 400_000, shape: 'ids [512]' },
    ];
    expect(linesOf({ ...cold, requests })).toContain(
      'A first request in the shape ids [512] takes 400.0 ms.',
    );
  });
});

describe('the table', () => {
  it('has columns of shape, warm-up and notes only where they say something', () => {
    const idsOf = (of: ColdStart, levels = steady) => coldColumns(coldRows(of, levels)).map(({ id }) => id);
    expect(idsOf(cold, [])).toEqual(['cold-batch', 'cold-first', 'cold-steady', 'cold-over', 'cold-ratio']);
    expect(idsOf({ ...cold, warmUp: [1] })).toEqual(expect.arrayContaining(['cold-warm-up', 'cold-note']));
  });

  it('shows what is missing as missing', () => {
    const [row] = coldRows(
      { ...cold, requests: [{ batchSize: 2, firstUs: null, error: 'refused' }] },
      steady,
    );
    if (row === undefined) throw new Error('No row');
    expect(coldColumns([row]).map((column) => cellText(column, row))).toEqual([
      ...['2', '–', '–', '–', '–'],
      'refused',
    ]);
    expect(coldBars([row])).toEqual({ names: ['2'], first: [null], steady: [null] });
  });
});

it('a run of an earlier version has none', () => {
  expect(coldStartOf(stateOf(createdBodies()))).toBeNull();
  const state = stateOf([...createdBodies(), { type: 'cold-start', coldStart: cold }]);
  expect(coldStartOf(state)?.rows).toHaveLength(3);
});
