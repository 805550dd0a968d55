import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { LoadTool } from '../../../../main/contract/run/run-spec';
import {
  crossCheck,
  crossCheckOf,
  type CrossColumn,
  type CrossLevel,
  crossSummary,
  crossWords,
  sideText,
} from '../../../../main/domain/measured/cross-check';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const level = { batchSize: 1, concurrency: 4 };

function rounds(loadTool: LoadTool, changes: readonly Partial<LoadPoint>[]): LoadPoint[] {
  return changes.map((change, index) => pointFixture({ ...level, loadTool, repeat: index + 1, ...change }));
}
const throughputs = (loadTool: LoadTool, values: readonly number[]) =>
  rounds(
    loadTool,
    values.map((inferencesPerSecond) => ({ inferencesPerSecond })),
  );

function only(levels: readonly CrossLevel[]): CrossLevel {
  const [first, ...others] = levels;
  if (first === undefined || others.length > 0) throw new Error('not one level');
  return first;
}
function column(of: CrossLevel, id: string): CrossColumn {
  const found = of.columns.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no column ${id}`);
  return found;
}
const compared = (native: readonly number[], analyzer: readonly number[]) =>
  only(
    crossCheck({
      points: [...throughputs('native', native), ...throughputs('perf_analyzer', analyzer)],
      missing: [],
    }),
  );

describe('a column of a cross-check', () => {
  it('differs where the ranges lie apart by more than the rounds vary', () => {
    const one = compared([120, 122, 121], [100, 101, 102]);
    const throughput = column(one, 'throughput');
    expect(throughput).toMatchObject({
      native: { median: 121, min: 120, max: 122, values: [120, 122, 121] },
      perf_analyzer: { median: 101, min: 100, max: 102 },
      verdict: 'differs',
    });
    expect(throughput.ratio).toBeCloseTo(121 / 101, 9);
    expect(crossWords(one)).toContain(
      'Inferences/s of the built-in load generator is 19.8 % above that of perf_analyzer (121.0 against 101.0 inferences/s).',
    );
    expect(sideText(throughput, throughput.native)).toBe('121.0 (120.0–122.0)');
  });

  it('agrees where the ranges meet, though the medians lie apart', () => {
    expect(column(compared([120, 122, 100], [99, 101, 102]), 'throughput').verdict).toBe('agrees');
  });

  it('agrees where the differences vary more than they are', () => {
    // Ranges apart, but one round 1 above and another 60 above: the mean difference is not told from 0.
    expect(column(compared([102, 160, 103], [101, 100, 99]), 'throughput').verdict).toBe('agrees');
  });

  it('cannot tell with two rounds', () => {
    const one = compared([120, 121], [100, 101]);
    expect(column(one, 'throughput').verdict).toBe('few-rounds');
    expect(crossWords(one).join(' ')).toContain('Fewer than 3 rounds');
  });

  it('does not take the microsecond that perf_analyzer cuts off for a difference', () => {
    const queue = (loadTool: LoadTool, values: readonly number[]) =>
      rounds(
        loadTool,
        values.map((serverQueueUs) => ({ serverQueueUs })),
      );
    const by = (analyzer: readonly number[]) =>
      column(
        only(
          crossCheck({
            points: [...queue('native', [3.7, 3.8, 3.9]), ...queue('perf_analyzer', analyzer)],
            missing: [],
          }),
        ),
        'queue',
      ).verdict;
    expect(by([3, 3, 3])).toBe('agrees');
    expect(by([1, 1, 1])).toBe('differs');
  });

  it('is not compared where one tool does not give it', () => {
    const one = only(
      crossCheck({
        points: [
          ...rounds(
            'native',
            [1, 2, 3].map((clientCpuUsPerRequest) => ({ clientCpuUsPerRequest })),
          ),
          ...rounds('perf_analyzer', [{}, {}, {}]),
        ],
        missing: [],
      }),
    );
    expect(column(one, 'client-cpu')).toMatchObject({
      verdict: 'one-sided',
      perf_analyzer: null,
      ratio: null,
    });
    expect(crossWords(one)).toEqual(['None of 13 columns differs beyond the spread of the rounds.']);
  });
});

describe('a level of a cross-check', () => {
  it('stands there with its reason when a tool could not measure it', () => {
    const missing = [1, 2, 3].map((repeat) => ({
      ...level,
      repeat,
      loadTool: 'perf_analyzer' as const,
      error: { message: 'refused' },
    }));
    const levels = crossCheck({ points: throughputs('native', [1, 2, 3]), missing });
    const one = only(levels);
    expect(one.failed).toHaveLength(3);
    expect(crossWords(one)).toEqual([
      'perf_analyzer gave no result in round 1: refused',
      'perf_analyzer gave no result in round 2: refused',
      'perf_analyzer gave no result in round 3: refused',
      'There is nothing to compare at this level.',
    ]);
    expect(crossSummary(levels)).toBe(
      'At no level can the two tools be compared; at 1 a measurement failed.',
    );
  });

  it('says which rounds were not steady', () => {
    const one = only(
      crossCheck({
        points: [...rounds('native', [{ stable: false }, {}, {}]), ...rounds('perf_analyzer', [{}, {}, {}])],
        missing: [],
      }),
    );
    expect(crossWords(one)[0]).toBe('native was not steady in 1 of 3 rounds.');
  });

  it('is summed up over all levels by name of the columns', () => {
    const other = { batchSize: 1, concurrency: 8 };
    const levels = crossCheck({
      points: [
        ...throughputs('native', [120, 122, 121]),
        ...throughputs('perf_analyzer', [100, 101, 102]),
        ...[1, 2, 3].flatMap((repeat) =>
          (['native', 'perf_analyzer'] as const).map((loadTool) =>
            pointFixture({ ...other, loadTool, repeat }),
          ),
        ),
      ],
      missing: [],
    });
    expect(crossSummary(levels)).toBe('The two tools differ at 1 of 2 levels, in Inferences/s.');
  });
});

describe('the cross-check of a run', () => {
  const crossing = specFixture((spec) => {
    spec.performance.crossCheck = true;
  });
  const body = (point: LoadPoint, key: string) => ({ ...measurementBody('online', point), key });

  it('is made of what both tools measured', () => {
    const state = stateOf([
      ...createdBodies(crossing),
      body(pointFixture({ ...level, loadTool: 'native' }), 'a'),
      body(pointFixture({ ...level, loadTool: 'perf_analyzer' }), 'b'),
    ]);
    expect(crossCheckOf(state, 'online')).toMatchObject([{ measured: { native: 1, perf_analyzer: 1 } }]);
  });

  it('takes a hole that names no tool for the tool of its scenario', () => {
    const apart = specFixture((spec) => {
      spec.performance.crossCheck = true;
      spec.performance.online = { loadTool: 'perf_analyzer' };
    });
    const error = { code: 'load-tool-failed' as const, message: 'no result' };
    const state = stateOf([
      ...createdBodies(apart),
      body(pointFixture({ ...level, loadTool: 'native' }), 'a'),
      { type: 'measurement-missing', scenario: 'online', key: 'b', ...level, error },
    ]);
    expect(crossCheckOf(state, 'online')).toMatchObject([{ failed: [{ loadTool: 'perf_analyzer' }] }]);
  });

  it('is none of a run that does not ask for it', () => {
    expect(crossCheckOf(stateOf(createdBodies(specFixture())), 'online')).toBeNull();
  });
});
