import { formatMs, formatRate, formatTyped } from '../../../../main/contract/numbers';
import type { Searched, SearchStrategy } from '../../../../main/contract/study/search';
import { axisTitles, chartSigns } from '../../../../main/domain/measured/chart-lines';
import { predictedLoads } from '../../../../main/domain/study/search/predicted-loads';
import type { SearchAnswer, SearchRow } from '../../../../main/domain/study/search/search-answer';
import {
  searchFront,
  type SearchPoint,
  searchPoints,
} from '../../../../main/domain/study/search/search-points';
import { budgetView } from '../../../charts/budget-line';
import { baseLayout, type Chart, signTrace } from '../../../charts/chart';
import type { ChartTheme } from '../../../charts/chart-theme';
import { plain, wrapped } from '../../../charts/hover-text';
import { valueAxis } from '../../../charts/sweep-axis';
import type { Trace } from '../../../charts/trace';

/** Latencies above the target by more than that are at the edge: else they would press all others to the foot. */
const edge = 2.5;

interface Mark {
  readonly text: string;
  readonly inferencesPerSecond: number;
  readonly latencyUs: number;
}

const ms = ({ latencyUs }: Mark): number => latencyUs / 1000;

function marksOf(marks: readonly Mark[], latency: string) {
  return {
    x: marks.map(({ inferencesPerSecond }) => inferencesPerSecond),
    y: marks.map(ms),
    hovertext: marks.map(
      (mark) =>
        `${wrapped(mark.text)}<br>${formatRate(mark.inferencesPerSecond)} inferences/s<br>${latency} ${formatMs(mark.latencyUs)} ms`,
    ),
    hoverinfo: 'text' as const,
  };
}

const markOf = ({ text, inferencesPerSecond, latencyUs }: SearchRow): readonly Mark[] =>
  inferencesPerSecond === null || latencyUs === null ? [] : [{ text, inferencesPerSecond, latencyUs }];

/** A dotted grey line without symbols, as of a run. */
function predictedTrace(
  search: SearchStrategy,
  searched: Searched,
  winner: SearchRow | null,
  top: number,
  theme: ChartTheme,
): readonly Trace[] {
  if (winner === null) return [];
  const latency = `p${search.target.percentile}`;
  const all = predictedLoads(search, searched, winner.candidate);
  const loads = all.filter(({ latencyUs }) => latencyUs / 1000 <= top);
  if (loads.length === 0) return [];
  const text = `${winner.text}: ${chartSigns.predicted.toLowerCase()}`;
  const line = { color: theme.dim, width: 1.5, dash: 'dot' };
  const marks = marksOf(
    loads.map((load) => ({ ...load, text })),
    latency,
  );
  return [
    { type: 'scatter', mode: 'lines', name: `Best configuration: ${chartSigns.predicted}`, ...marks, line },
  ];
}

function aboveTrace(above: readonly SearchPoint[], top: number, latency: string, theme: ChartTheme) {
  if (above.length === 0) return [];
  return [
    signTrace({
      name: 'Above the axis',
      ...marksOf(above, latency),
      y: above.map(() => top),
      marker: { color: theme.dim, size: 7, symbol: 'triangle-up' },
    }),
  ];
}

const loadsTrace = (
  points: readonly SearchPoint[],
  held: boolean,
  latency: string,
  theme: ChartTheme,
): Trace => ({
  type: 'scatter',
  mode: 'markers',
  name: held ? 'Load that is held' : 'Load that is not held',
  ...marksOf(
    points.filter((point) => point.held === held),
    latency,
  ),
  marker: {
    color: theme.throughput,
    size: 7,
    symbol: held ? 'circle' : 'circle-open',
    line: { width: 1.25, color: theme.throughput },
  },
});

function rowSign(
  row: SearchRow,
  latency: string,
  {
    name,
    ...look
  }: { readonly name: string; readonly symbol: string; readonly color: string; readonly size: number },
): readonly Trace[] {
  const marks = markOf(row);
  const marker = { ...look, line: { width: 1.5, color: look.color } };
  return marks.length === 0 ? [] : [signTrace({ name: plain(name), ...marksOf(marks, latency), marker })];
}

/** Latency over throughput: every load of every configuration, the front through those that no other beats, and the answer. */
export function searchChart(
  search: SearchStrategy,
  searched: Searched,
  { winner, present }: SearchAnswer,
  theme: ChartTheme,
): Chart {
  const { target } = search;
  const latency = `p${target.percentile}`;
  const points = searchPoints(search, searched);
  const targetMs = target.latencyUs === null ? null : target.latencyUs / 1000;
  const top = targetMs === null ? Infinity : targetMs * edge;
  const shown = points.filter((point) => ms(point) <= top);
  const front = searchFront(points.filter(({ held }) => held));
  const series: readonly Trace[] = [
    ...predictedTrace(search, searched, winner, top, theme),
    {
      type: 'scatter',
      mode: 'lines',
      name: 'Front',
      x: front.map(({ inferencesPerSecond }) => inferencesPerSecond),
      y: front.map(ms),
      line: { color: theme.throughput, width: 1.75, dash: 'solid' },
      hoverinfo: 'skip',
    },
    loadsTrace(shown, true, latency, theme),
    loadsTrace(shown, false, latency, theme),
  ];
  const most = points.reduce((highest, point) => Math.max(highest, point.inferencesPerSecond), 0);
  const ends: [number, number] = [0, most === 0 ? 1 : most * 1.06];
  const limit = (limitMs: number): string => `${latency} target ${formatTyped(limitMs)} ms`;
  const budget = budgetView(series, targetMs, ends, theme, limit);
  const upper = budget.axis.range?.[1] ?? top;
  return {
    data: [
      ...series,
      ...budget.traces,
      ...aboveTrace(
        points.filter((point) => ms(point) > top),
        upper,
        latency,
        theme,
      ),
      ...(winner?.candidate === present.candidate
        ? []
        : rowSign(present, latency, {
            name: 'Present configuration',
            symbol: 'diamond',
            color: theme.text,
            size: 10,
          })),
      ...(winner === null
        ? []
        : rowSign(winner, latency, {
            name: 'Best configuration',
            symbol: 'star',
            color: theme.p95,
            size: 15,
          })),
    ],
    layout: {
      ...baseLayout(theme),
      shapes: budget.shapes,
      xaxis: { ...valueAxis({ theme }, axisTitles.rate), range: ends, automargin: false },
      yaxis: { ...valueAxis({ theme }, `${latency} (ms)`), ...budget.axis },
    },
  };
}
