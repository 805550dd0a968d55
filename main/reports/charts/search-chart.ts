import type { LineSeriesOption } from 'echarts/charts';
import { formatTyped } from '../../contract/numbers';
import type { Searched, SearchStrategy } from '../../contract/study/search';
import { lineColors } from '../../domain/measured/chart-lines';
import type { SearchAnswer, SearchRow } from '../../domain/study/search/search-answer';
import { searchFront, searchPoints } from '../../domain/study/search/search-points';
import { baseOption, ink, niceEnd, rateAxis, valueAxis } from './chart-base';
import type { Chart } from './render-chart';
import { budgetLine, star } from './report-charts';

/** Loads above the target by more than that would press all others to the foot. */
const edge = 2.5;

const shared = { type: 'line', silent: true } as const;

interface Placed {
  readonly inferencesPerSecond: number;
  readonly latencyUs: number;
}

const place = ({ inferencesPerSecond, latencyUs }: Placed): [number, number] => [
  inferencesPerSecond,
  latencyUs / 1000,
];

const loadsSeries = (points: readonly Placed[], name: string, isHeld: boolean): LineSeriesOption => ({
  ...shared,
  name,
  color: lineColors.throughput,
  symbol: isHeld ? 'circle' : 'emptyCircle',
  symbolSize: 7,
  showAllSymbol: true,
  lineStyle: { width: 0 },
  data: points.map(place),
});

/** A row of the answer; without a load that it holds it has no place. */
function rowSeries(
  row: SearchRow | null,
  style: Pick<LineSeriesOption, 'name' | 'symbol' | 'symbolSize' | 'color'>,
): readonly LineSeriesOption[] {
  if (row === null) return [];
  const { inferencesPerSecond, latencyUs } = row;
  if (inferencesPerSecond === null || latencyUs === null) return [];
  return [
    {
      ...shared,
      ...style,
      z: 3,
      lineStyle: { width: 0 },
      data: [place({ inferencesPerSecond, latencyUs })],
    },
  ];
}

/** Latency over throughput: every load of every configuration, the front, the target and the answer; null without a load. */
export function searchChart(
  search: SearchStrategy,
  searched: Searched,
  { winner, present }: SearchAnswer,
): Chart | null {
  const { percentile, latencyUs } = search.target;
  const latency = `p${percentile}`;
  const targetMs = latencyUs === null ? null : latencyUs / 1000;
  const all = searchPoints(search, searched);
  const points = all.filter((point) => targetMs === null || point.latencyUs / 1000 <= edge * targetMs);
  if (points.length === 0) return null;
  const above = all.length - points.length;
  const held = points.filter((point) => point.held);
  const rates = niceEnd(points.map(({ inferencesPerSecond }) => inferencesPerSecond));
  const series: readonly LineSeriesOption[] = [
    ...(targetMs === null
      ? []
      : [budgetLine(`${latency} target ${formatTyped(targetMs)} ms`, targetMs, rates)]),
    {
      ...shared,
      name: 'Front',
      symbol: 'none',
      color: lineColors.throughput,
      lineStyle: { width: 1.75, color: lineColors.throughput },
      data: searchFront(held).map(place),
    },
    loadsSeries(held, 'Load that is held', true),
    loadsSeries(
      points.filter((point) => !point.held),
      'Load that is not held',
      false,
    ),
    ...rowSeries(winner?.candidate === present.candidate ? null : present, {
      ...{ name: 'Present configuration', symbol: 'diamond', symbolSize: 10, color: ink.text },
    }),
    ...rowSeries(winner, {
      ...{ name: 'Best configuration', symbol: star, symbolSize: 13, color: lineColors.p95 },
    }),
  ];
  const title = `Throughput and ${latency} latency of each load`;
  const left = above === 0 ? '' : `; ${above} far above the target not drawn`;
  return {
    id: 'search-loads',
    title: `${title}, in inferences per second and milliseconds${left}`,
    width: 1140,
    height: 250,
    option: {
      ...baseOption(
        `${title}${left}`,
        series.map(({ name }) => String(name)),
      ),
      xAxis: rateAxis(rates),
      yAxis: valueAxis(`${latency} (ms)`),
      series,
    } as Chart['option'],
  };
}
