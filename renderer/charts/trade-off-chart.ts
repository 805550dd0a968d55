import type { LoadPoint } from '../../main/contract/measured/results';
import type { RunState } from '../../main/contract/run/run-state';
import { budgetLatencyUs, scenarioOf, type Sweep } from '../../main/contract/run/sweep';
import type { ChosenLevel } from '../../main/domain/measured/answer';
import { axisTitles, budgetAxisTitle, chartSigns } from '../../main/domain/measured/chart-lines';
import { paretoFront, spacedLevels } from '../../main/domain/measured/points';
import { budgetView } from './budget-line';
import { baseLayout, type Chart, levelOf, signTrace, type SweepInput, sweepOfState } from './chart';
import type { ChartTheme } from './chart-theme';
import { ofSweep, runStyle } from './compare-chart';
import { plain, symbolOf, wrapped } from './hover-text';
import { predictedSeries } from './predicted-series';
import { valueAxis } from './sweep-axis';
import { pointText, sortedPoints } from './sweep-series';
import type { Axis, Trace } from './trace';

const rate = ({ inferencesPerSecond }: LoadPoint): number => inferencesPerSecond;
const latencyMs = (point: LoadPoint): number => budgetLatencyUs(point) / 1000;

const marksOf = (points: readonly LoadPoint[], color: string, symbol: string, size: number) => ({
  x: points.map(rate),
  y: points.map(latencyMs),
  marker: {
    color,
    size,
    symbol: points.map((point) => symbolOf(point, symbol)),
    line: { width: 1.5, color },
  },
  hovertext: points.map((point) => pointText(point)),
  hoverinfo: 'text' as const,
});

/** Levels with their load as label, where it touches no other. */
function levelMarks(input: SweepInput, points: readonly LoadPoint[], first: readonly LoadPoint[]): Trace {
  const { theme, scenario, state, sweep } = input;
  const labeled = spacedLevels(points, first);
  return {
    type: 'scatter',
    mode: 'markers+text',
    name: chartSigns.levels(sweepOfState(scenario, state, sweep)),
    ...marksOf(points, theme.throughput, 'circle', 8),
    text: points.map((point) => (labeled.has(point) ? String(levelOf(scenario, point)) : '')),
    textposition: 'top left',
    textfont: { color: theme.text, size: 11 },
    cliponaxis: false,
  };
}

function rateAxis(theme: ChartTheme, points: readonly LoadPoint[]): { axis: Axis; ends: [number, number] } {
  const most = points.reduce((highest, point) => Math.max(highest, rate(point)), 0);
  const ends: [number, number] = [0, most === 0 ? 1 : most * 1.06];
  const axis = valueAxis({ theme }, axisTitles.rate);
  const ticks = most === 0 ? { showticklabels: false } : {};
  return { axis: { ...axis, ...ticks, range: ends, automargin: false }, ends };
}

const chosenTrace = ({ theme, scenario }: SweepInput, chosen: ChosenLevel | null): readonly Trace[] =>
  chosen?.scenario !== scenario
    ? []
    : [signTrace({ name: chosen.name, ...marksOf([chosen.point], theme.p95, 'star', 15) })];

/** p99 over throughput, a mark per level. @param first levels that keep their label where several touch */
function levelsChart(
  input: SweepInput,
  chosen: ChosenLevel | null,
  below: readonly Trace[],
  first: readonly LoadPoint[],
  limitName?: (limitMs: number) => string,
): Chart {
  const { theme, budgetMs, scenario, state, sweep } = input;
  const points = sortedPoints(input);
  const own = chosen?.scenario === scenario ? [chosen.point] : [];
  const measured = [...below, levelMarks(input, points, [...own, ...first])];
  const { axis, ends } = rateAxis(theme, points);
  const budget = budgetView(measured, budgetMs, ends, theme, limitName);
  return {
    data: [...measured, ...budget.traces, ...chosenTrace(input, chosen)],
    layout: {
      ...baseLayout(theme),
      shapes: budget.shapes,
      xaxis: axis,
      yaxis: { ...valueAxis(input, budgetAxisTitle(sweepOfState(scenario, state, sweep))), ...budget.axis },
    },
  };
}

/** Which level to choose, and what each costs: the front through those that no other beats. */
export function tradeOffChart(input: SweepInput, chosen: ChosenLevel | null): Chart {
  const front = paretoFront(sortedPoints(input));
  const line: Trace = {
    type: 'scatter',
    mode: 'lines',
    name: chartSigns.front,
    x: front.map(rate),
    y: front.map(latencyMs),
    line: { color: input.theme.throughput, width: 1.75, dash: 'solid' },
    hoverinfo: 'skip',
  };
  const predicted = predictedSeries(input.predicted, input.theme, ({ inferencesPerSecond, p99Us }) => [
    inferencesPerSecond,
    p99Us / 1000,
  ]);
  return levelsChart(input, chosen, [...predicted, ...(front.length > 1 ? [line] : [])], front);
}

/** The level that replicas are planned with among those that were measured; nothing between them is drawn. */
export const capacityChart = (input: SweepInput, chosen: ChosenLevel | null): Chart =>
  levelsChart(input, chosen, [], [], chartSigns.target);

/** The line through the front and, each after a gap, the levels beside it: one series, so that it can be shown alone. */
function frontAndRest(points: readonly LoadPoint[]): readonly { point: LoadPoint; gap: boolean }[] {
  const front = paretoFront(points);
  const drawn = (point: LoadPoint) => ({ point, gap: false });
  const rest = points.filter((point) => !front.includes(point));
  return [...front.map(drawn), ...rest.flatMap((point) => [{ point, gap: true }, drawn(point)])];
}

export function compareTradeOff(
  runs: readonly { readonly name: string; readonly state: RunState }[],
  sweep: Sweep,
  theme: ChartTheme,
): Chart {
  const scenario = scenarioOf(sweep);
  const all = runs.map(({ name, state }) => ({
    name,
    points: sortedPoints({ scenario, state: ofSweep(state, sweep) }),
  }));
  const { axis } = rateAxis(
    theme,
    all.flatMap(({ points }) => points),
  );
  return {
    data: all.map(({ name, points }, index): Trace => {
      const { color, symbol } = runStyle(theme, index);
      const drawn = frontAndRest(points);
      const of = drawn.map(({ point }) => point);
      return {
        type: 'scatter',
        mode: 'lines+markers',
        name: plain(name),
        ...marksOf(of, color, symbol, 7),
        y: drawn.map(({ point, gap }) => (gap ? NaN : latencyMs(point))),
        hovertext: of.map((point) => `${wrapped(name)}<br>${pointText(point)}`),
        line: { color, width: 1.75, dash: 'solid' },
      };
    }),
    layout: { ...baseLayout(theme), xaxis: axis, yaxis: valueAxis({ theme }, budgetAxisTitle(sweep)) },
  };
}
