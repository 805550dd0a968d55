import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import { answerOf } from '../../../../main/domain/measured/answer';
import type { SweepInput } from '../../../../renderer/charts/chart';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { legendEntries } from '../../../../renderer/charts/legend-entries';
import { chartCsv } from '../../../../renderer/charts/plot/chart-csv';
import { compareTradeOff, tradeOffChart } from '../../../../renderer/charts/trade-off-chart';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

const theme = chartThemes.dark;
const levelOf = (of: RunState) => answerOf(of)?.level ?? null;
/** concurrency, throughput, p99 in ms, steady. */
const measured = [
  [1, 100, 5, true],
  [2, 190, 6, true],
  [4, 180, 9, true],
  [8, 300, 20, true],
  [16, 400, 50, false],
] as const;

const state = stateOf([
  ...createdBodies(),
  ...measured.map(([concurrency, inferencesPerSecond, ms, stable]) =>
    measurementBody('online', pointFixture({ concurrency, inferencesPerSecond, p99Us: ms * 1000, stable })),
  ),
  { type: 'run-finished', outcome: 'done' },
]);

const inputOf = (of: RunState, budgetMs: number | null): SweepInput => ({
  ...({ scenario: 'online', state: of.scenarios.online, planned: [], sweep: 'concurrency' } as const),
  ...{ level: null, budgetMs, theme },
});

describe('p99 over throughput in the window', () => {
  const chart = tradeOffChart(inputOf(state, null), levelOf(state));
  const named = (name: string) => chart.data.find((trace) => trace.name === name);

  it('has a mark per level with its load, hollow where it is not steady', () => {
    const levels = named('Levels, by concurrency');
    expect(levels).toMatchObject({ x: [100, 190, 180, 300, 400], y: [5, 6, 9, 20, 50] });
    expect(levels?.text).toEqual(['1', '2', '', '8', '16']);
    expect(levels?.marker?.symbol).toEqual(['circle', 'circle', 'circle', 'circle', 'circle-open']);
    expect(legendEntries(chart, '#fff').map(({ name }) => name)).toContain('Hollow: not steady');
  });

  it('has a line through the steady levels that no other one beats, and marks the one of the verdict', () => {
    expect(named('Pareto front, steady levels')).toMatchObject({ x: [100, 190, 300], y: [5, 6, 20] });
    expect(named('Best steady level')).toMatchObject({ x: [300], y: [20] });
    expect(chartCsv(chart).split('\r\n')[1]).toBe('100,5,5');
  });

  it('has no line, nor a legend of one, where fewer than two levels are steady', () => {
    const shaky = measured.map(([concurrency, inferencesPerSecond, ms], index) => {
      const stable = index === 0;
      const point = { concurrency, inferencesPerSecond, p99Us: ms * 1000, stable };
      return measurementBody('online', pointFixture(point));
    });
    const of = stateOf([...createdBodies(), ...shaky]);
    const names = tradeOffChart(inputOf(of, null), levelOf(of)).data.map(({ name }) => name);
    expect(names).toContain('Levels, by concurrency');
    expect(names).not.toContain('Pareto front, steady levels');
  });

  it('has what is predicted between the levels as a dotted line without marks, named so', () => {
    const predicted = [
      { load: 1, inferencesPerSecond: 100, p99Us: 5100 },
      { load: 5, inferencesPerSecond: 240, p99Us: 12_000 },
    ];
    const line = tradeOffChart({ ...inputOf(state, null), predicted }, levelOf(state)).data.find(
      ({ name }) => name === 'Predicted, not measured',
    );
    expect(line).toMatchObject({ mode: 'lines', x: [100, 240], y: [5.1, 12], line: { dash: 'dot' } });
    expect(line?.hovertext?.[1]).toMatch(/^Predicted, not measured<br>load 5<br>240/);
    expect(named('Predicted, not measured')).toBeUndefined();
  });

  it('has the p99 budget with its area, and marks the level within it', () => {
    const budgeted = { ...state, p99BudgetMs: 15 };
    const within = tradeOffChart(inputOf(budgeted, 15), levelOf(budgeted));
    expect(within.data.find(({ name }) => name === 'p99 budget 15 ms')?.y).toEqual([15, 15]);
    expect(within.layout['shapes']).toMatchObject([{ y0: 15 }]);
    expect(within.data.find(({ name }) => name === 'Best steady level within 15 ms')?.x).toEqual([190]);
    const tight = { ...state, p99BudgetMs: 1 };
    expect(levelOf(tight)).toBeNull();
  });

  it('without a level has no numbers at its axes, and no mark of another scenario', () => {
    const empty = stateOf(createdBodies());
    expect(tradeOffChart(inputOf(empty, null), null).layout.xaxis['showticklabels']).toBe(false);
    const offline = { ...inputOf(state, null), scenario: 'offline' } as const;
    expect(tradeOffChart(offline, levelOf(state)).data).toHaveLength(2);
  });
});

it('several runs have a series each in Compare: its front as a line, the other levels after gaps', () => {
  const chart = compareTradeOff(
    [
      { name: 'first', state },
      { name: 'second', state },
    ],
    'concurrency',
    theme,
  );
  expect(chart.data.map(({ name }) => name)).toEqual(['first', 'second']);
  expect(chart.data[0]?.y).toEqual([5, 6, 20, NaN, 9, NaN, 50]);
  expect(chart.data[0]?.line?.color).not.toBe(chart.data[1]?.line?.color);
});
