import { describe, expect, it } from 'vitest';
import { changesOf, historyPoints, type HistoryRun } from '../../../../main/domain/measured/run-changes';

type Level = NonNullable<HistoryRun['chosen']>;

const run = (day: number, level: Partial<Level> | null, other: Partial<HistoryRun> = {}): HistoryRun => ({
  ...{ runId: `run-${day}`, name: null, createdAt: `2025-11-${String(day).padStart(2, '0')}T08:00:00.000Z` },
  ...{ machine: 'NVIDIA A30', server: '2.51.0', engine: 'docker' },
  chosen:
    level === null
      ? null
      : {
          inferencesPerSecond: 1000,
          intervalIps: 20,
          p99Us: 8000,
          p99IntervalUs: 200,
          steady: true,
          ...level,
        },
  ...other,
});

const textsOf = (runs: readonly HistoryRun[]) =>
  changesOf(historyPoints(runs)).map(({ run: of, text }) => [of.runId, text]);

describe('changes of the runs of a model', () => {
  it('are marked where they are larger than both intervals together, and not within', () => {
    // √(20² + 20²) = 28.3
    expect(textsOf([run(1, {}), run(2, { inferencesPerSecond: 1028 })])).toEqual([]);
    expect(textsOf([run(1, {}), run(2, { inferencesPerSecond: 1100 })])).toEqual([
      ['run-2', 'Throughput +10 %: 1,000 inferences/s before, 1,100 inferences/s since'],
    ]);
    expect(textsOf([run(1, {}), run(2, { p99Us: 6000 })])).toEqual([
      ['run-2', 'p99 −25 %: 8.00 ms before, 6.00 ms since'],
    ]);
  });

  it('know what is better: more throughput, less latency', () => {
    const changes = changesOf(
      historyPoints([run(1, {}), run(2, { inferencesPerSecond: 1500, p99Us: 12_000 })]),
    );
    expect(changes.map(({ of, isBetter }) => [of, isBetter])).toEqual([
      ['throughput', true],
      ['p99', false],
    ]);
  });

  it('find slow drift, because a run is compared with all since the last change', () => {
    const drift = [1000, 1020, 1040, 1060, 1080].map((inferencesPerSecond, day) =>
      run(day + 1, { inferencesPerSecond }),
    );
    expect(textsOf(drift).map(([runId]) => runId)).toEqual(['run-3', 'run-5']);
  });

  it('allow for runs that lie further apart than their intervals', () => {
    const noisy = [1000, 1200, 900, 1100, 950].map((inferencesPerSecond, day) =>
      run(day + 1, { inferencesPerSecond, intervalIps: 200 }),
    );
    // Of the spread alone: 2 × 111.
    expect(textsOf([...noisy, run(6, { inferencesPerSecond: 1200, intervalIps: 1 })])).toEqual([]);
    expect(
      textsOf([...noisy, run(6, { inferencesPerSecond: 1400, intervalIps: 1 })]).map(([runId]) => runId),
    ).toEqual(['run-6']);
  });

  it('say nothing of runs that are not steady, have no interval or no answer', () => {
    expect(
      textsOf([
        run(1, {}),
        run(2, { inferencesPerSecond: 5000, steady: false }),
        run(3, { inferencesPerSecond: 5000, intervalIps: undefined }),
        run(4, null),
        run(5, {}),
      ]),
    ).toEqual([]);
  });

  it('name what else is another than before', () => {
    const other = { machine: 'NVIDIA H100', server: '2.60.0' };
    expect(textsOf([run(1, {}), run(2, { inferencesPerSecond: 3000 }, other)])).toEqual([
      [
        'run-2',
        'Throughput +200 %: 1,000 inferences/s before, 3,000 inferences/s since; another machine and server',
      ],
    ]);
  });

  it('come by time, whatever the order of the runs', () => {
    expect(textsOf([run(2, { inferencesPerSecond: 2000 }), run(1, {})])).toHaveLength(1);
    expect(historyPoints([run(2, {}), run(1, {}), run(3, null)]).map(({ run: of }) => of.runId)).toEqual([
      'run-1',
      'run-2',
    ]);
  });
});
