import type { BaselineSeries } from '../../main/contract/measured/baseline';
import type { Scenario } from '../../main/contract/run/run-events';
import type { ScenarioState } from '../../main/contract/run/run-state';
import { type LoadLevel, type Sweep, sweepHeading, sweepOf } from '../../main/contract/run/sweep';
import type { PredictedLevel } from '../../main/domain/predict/predicted-curve';
import type { LiveLevel } from '../stores/open-run';
import type { ChartTheme } from './chart-theme';
import type { ChartLayout, Trace } from './trace';

export interface Chart {
  /** Written above a saved picture. */
  readonly title?: string;
  readonly data: readonly Trace[];
  readonly layout: ChartLayout;
  /** Layout while only some of the traces are drawn; absent: the same. */
  readonly layoutOf?: (drawn: readonly Trace[]) => ChartLayout;
  /**
   * For a chart whose lines only grow at their ends: `base` names all the rest, `count` is how many points there are. With
   * the same base the new ends can be drawn alone, for `wholeEveryMs` (absent: some seconds).
   */
  readonly grows?: { readonly base: string; readonly count: number; readonly wholeEveryMs?: number };
}

/** Has a value to draw. */
export const isDrawn = ({ y }: Pick<Trace, 'y'>): boolean => {
  for (let index = 0; index < y.length; index += 1) if (Number.isFinite(y[index])) return true;
  return false;
};

/** Something is there to be seen: a budget alone is not. */
export const hasValues = ({ data }: Chart): boolean =>
  data.some((trace) => trace.meta !== 'limit' && isDrawn(trace));

/** Without data the numbers of an axis would be invented. */
export function withMeasuredScale(chart: Chart): Chart {
  const measured = chart.data.some(isDrawn);
  if (measured || chart.grows !== undefined) return chart;
  return {
    data: chart.data,
    layout: { ...chart.layout, yaxis: { ...chart.layout.yaxis, showticklabels: false } },
    ...(chart.title === undefined ? {} : { title: chart.title }),
  };
}

export interface SweepInput {
  readonly scenario: Scenario;
  readonly state: ScenarioState;
  /** Levels that the specification asks for: the axis has room for them from the start. */
  readonly planned: readonly number[];
  /** Absent: derived from the measured levels. */
  readonly sweep?: Sweep;
  /** The level under way, if it belongs to this scenario. */
  readonly level: LiveLevel | null;
  /** Others of this scenario with windows and without a result. */
  readonly landing?: readonly LiveLevel[];
  /** Milliseconds; null: none. */
  readonly budgetMs: number | null;
  /** Published figures, drawn beside the measured ones and never among them. */
  readonly baseline?: BaselineSeries | null;
  /** Drawn between the measured levels, and never as one of them. */
  readonly predicted?: readonly PredictedLevel[];
  readonly theme: ChartTheme;
}

export const levelOf = (scenario: Scenario, of: LoadLevel): number =>
  scenario === 'offline' ? of.batchSize : (of.requestRate ?? of.concurrency);

export function sweepOfState(scenario: Scenario, state: ScenarioState, planned?: Sweep): Sweep {
  const tried = [...state.points.map(({ point }) => point), ...state.missing];
  return tried.length === 0 && planned !== undefined ? planned : sweepOf(scenario, tried);
}

export const sweepName = ({
  scenario,
  state,
  sweep,
}: Pick<SweepInput, 'scenario' | 'state' | 'sweep'>): string =>
  sweepHeading[sweepOfState(scenario, state, sweep)];

/** Symbols beside the series, each with its text; not values of a series. */
export const signTrace = (
  signs: Omit<Trace, 'type' | 'mode' | 'meta' | 'cliponaxis' | 'hoverinfo'>,
): Trace => ({
  type: 'scatter',
  mode: 'markers',
  meta: 'signs',
  cliponaxis: false,
  hoverinfo: 'text',
  ...signs,
});

export const lineAcross = (at: number, color: string): object => ({
  type: 'line',
  xref: 'x',
  x0: at,
  x1: at,
  yref: 'paper',
  y0: 0,
  y1: 1,
  line: { color, width: 1, dash: 'dot' },
});

const chartFont = "'Inter', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif";

export function baseLayout(
  theme: ChartTheme,
): Omit<ChartLayout, 'xaxis' | 'yaxis'> & { readonly legend: object } {
  return {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: chartFont, size: 11, color: theme.dim },
    margin: { l: 56, r: 12, t: 6, b: 38 },
    hovermode: 'closest',
    hoverlabel: {
      bgcolor: theme.panel,
      bordercolor: theme.line,
      font: { color: theme.text, size: 11, family: chartFont },
      align: 'left',
    },
    showlegend: true,
    legend: {
      orientation: 'h',
      x: 0,
      y: 1.02,
      xanchor: 'left',
      yanchor: 'bottom',
      font: { color: theme.dim, size: 11 },
      bgcolor: 'rgba(0,0,0,0)',
      // A click shows one series alone, the next click all again.
      itemclick: 'toggleothers',
      itemdoubleclick: 'toggle',
    },
  };
}
