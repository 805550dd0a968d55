import type { BaselinePoint, BaselineSeries } from '../../main/contract/measured/baseline';
import { intervalOf, numberOf, titleWithUnit } from '../../main/contract/measured/column';
import { p99, scheduledP99, throughput } from '../../main/contract/measured/columns';
import type { RunState, ScenarioState } from '../../main/contract/run/run-state';
import { scenarioOf, type Sweep, sweepOfLevel } from '../../main/contract/run/sweep';
import { shownScenario } from '../../main/domain/measured/repeats';
import type { Chart, SweepInput } from './chart';
import type { ChartTheme } from './chart-theme';
import { plain, wrapped } from './hover-text';
import { publishedSeries } from './published-series';
import { levelsOf, sweepLayout } from './sweep-axis';
import { pointText, sweepSeries } from './sweep-series';

const symbols = ['circle', 'square', 'diamond', 'triangle-up', 'pentagon', 'star'] as const;

interface ComparedSeries {
  readonly name: string;
  readonly state: RunState;
}

const values = {
  throughput: { column: throughput, published: (point: BaselinePoint) => point.inferencesPerSecond },
  p99: { column: p99, published: ({ p99Ms }: BaselinePoint) => p99Ms },
  scheduledP99: { column: scheduledP99, published: () => null },
} as const;

export const runStyle = (
  theme: ChartTheme,
  index: number,
): { readonly color: string; readonly symbol: string } => ({
  color: theme.runs[index % theme.runs.length] ?? theme.text,
  symbol: symbols[index % symbols.length] ?? 'circle',
});

/** Request rates and concurrencies have no common axis. */
export function ofSweep(state: RunState, sweep: Sweep): ScenarioState {
  const scenario = scenarioOf(sweep);
  const { points, missing } = shownScenario(state, scenario);
  return {
    points: points.filter(({ point }) => sweepOfLevel(scenario, point) === sweep),
    missing: missing.filter((hole) => sweepOfLevel(scenario, hole) === sweep),
  };
}

export function compareChart(
  runs: readonly ComparedSeries[],
  sweep: Sweep,
  value: keyof typeof values,
  theme: ChartTheme,
  baseline: BaselineSeries | null = null,
): Chart {
  const scenario = scenarioOf(sweep);
  const common = { scenario, sweep, planned: [], level: null, budgetMs: null, theme };
  const inputs = runs.map(({ state }): SweepInput => ({ ...common, state: ofSweep(state, sweep) }));
  const points = inputs.flatMap(({ state }) => state.points);
  const missing = inputs.flatMap(({ state }) => state.missing);
  const everything: SweepInput = { ...common, state: { points, missing }, baseline };
  const { column, published } = values[value];
  return {
    data: [
      ...inputs.map((input, index) => {
        const name = runs[index]?.name ?? '';
        return sweepSeries(
          { ...input, planned: levelsOf(input) },
          { name: plain(name), ...runStyle(theme, index) },
          numberOf(column),
          column.interval === undefined ? undefined : intervalOf(column),
          (point) => `${wrapped(name)}<br>${pointText(point)}`,
        );
      }),
      ...publishedSeries(baseline, theme, published),
    ],
    layout: sweepLayout(everything, titleWithUnit(column)),
  };
}
