import { formatMs, formatRate, formatTyped } from '../../../../main/contract/numbers';
import type { Searched, SearchStrategy } from '../../../../main/contract/study/search';
import { axisTitles } from '../../../../main/domain/measured/chart-lines';
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
  const loads = (held: boolean, name: string): Trace => ({
    type: 'scatter',
    mode: 'markers',
    name,
    ...marksOf(
      shown.filter((point) => point.held === held),
      latency,
    ),
    marker: {
      color: theme.throughput,
      size: 7,
      symbol: held ? 'circle' : 'circle-open',
      line: { width: 1.25, color: theme.throughput },
    },
  });
  const series: readonly Trace[] = [
    {
      type: 'scatter',
      mode: 'lines',
      name: 'Front',
      x: front.map(({ inferencesPerSecond }) => inferencesPerSecond),
      y: front.map(ms),
      line: { color: theme.throughput, width: 1.75, dash: 'solid' },
      hoverinfo: 'skip',
    },
    loads(true, 'Load that is held'),
    loads(false, 'Load that is not held'),
  ];
  const most = points.reduce((highest, point) => Math.max(highest, point.inferencesPerSecond), 0);
  const ends: [number, number] = [0, most === 0 ? 1 : most * 1.06];
  const limit = (limitMs: number): string => `${latency} target ${formatTyped(limitMs)} ms`;
  const budget = budgetView(series, targetMs, ends, theme, limit);
  const upper = budget.axis.range?.[1] ?? top;
  const sign = (
    name: string,
    row: SearchRow,
    symbol: string,
    color: string,
    size: number,
  ): readonly Trace[] => {
    const marks = markOf(row);
    const marker = { color, size, symbol, line: { width: 1.5, color } };
    return marks.length === 0 ? [] : [signTrace({ name: plain(name), ...marksOf(marks, latency), marker })];
  };
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
        : sign('Present configuration', present, 'diamond', theme.text, 10)),
      ...(winner === null ? [] : sign('Best configuration', winner, 'star', theme.p95, 15)),
    ],
    layout: {
      ...baseLayout(theme),
      shapes: budget.shapes,
      xaxis: { ...valueAxis({ theme }, axisTitles.rate), range: ends, automargin: false },
      yaxis: { ...valueAxis({ theme }, `${latency} (ms)`), ...budget.axis },
    },
  };
}
