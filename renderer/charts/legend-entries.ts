import { chartSigns } from '../../main/domain/measured/chart-lines';
import { type Chart, isDrawn } from './chart';
import { isHollow } from './hover-text';
import { isSeries } from './plot/shown-traces';
import type { Trace } from './trace';

export interface LegendEntry {
  readonly name: string;
  /** A series can be shown alone; what explains signs cannot. */
  readonly isSeries: boolean;
  readonly kind: 'line' | 'bar' | 'sign';
  readonly color: string;
  readonly dash: string;
  /** Without its "-open"; null for a line without symbols. */
  readonly symbol: string | null;
  readonly hollow: boolean;
}

const allOf = (symbol: string | readonly string[] | undefined): readonly string[] =>
  symbol === undefined ? [] : typeof symbol === 'string' ? [symbol] : symbol;

const colorOf = ({ line, marker }: Trace): string =>
  line?.color ?? marker?.color ?? marker?.line?.color ?? '';

function entryOf(trace: Trace): LegendEntry {
  const { marker, mode } = trace;
  const [symbol] = allOf(marker?.symbol);
  return {
    name: trace.name,
    isSeries: isSeries(trace),
    kind: trace.type === 'bar' ? 'bar' : mode === 'markers' ? 'sign' : 'line',
    color: colorOf(trace),
    dash: trace.line?.dash ?? 'solid',
    symbol: mode === 'lines' ? null : (symbol?.replace('-open', '') ?? null),
    // The legend has the symbol of a steady level.
    hollow: typeof marker?.symbol === 'string' && isHollow(marker.symbol),
  };
}

/** Whether a level is drawn hollow: the symbols of a sweep are one per level; below bars, a sign at the axis. */
const hasHollow = ({ data, layout }: Chart): boolean =>
  data.some(({ marker }) => typeof marker?.symbol !== 'string' && allOf(marker?.symbol).some(isHollow)) ||
  layout.xaxis.ticktext?.some((text) => text.endsWith(chartSigns.hollowMark)) === true;

export function legendEntries(chart: Chart, neutral: string): readonly LegendEntry[] {
  const named = chart.data.filter((trace) => trace.showlegend !== false && isDrawn(trace)).map(entryOf);
  if (!hasHollow(chart)) return named;
  const explained: LegendEntry = {
    name: chartSigns.hollow,
    isSeries: false,
    kind: 'sign',
    color: neutral,
    dash: 'solid',
    symbol: 'circle',
    hollow: true,
  };
  return [...named, explained];
}

/** The same explanation in plotly's own legend, which a saved picture has: a series without a point. */
export function hollowLegend(chart: Chart): readonly Trace[] {
  if (!hasHollow(chart)) return [];
  return [
    {
      type: 'scatter',
      mode: 'markers',
      name: chartSigns.hollow,
      meta: 'signs',
      x: [NaN],
      y: [NaN],
      hoverinfo: 'skip',
      marker: { symbol: 'circle-open', size: 7, line: { width: 1.5 } },
    },
  ];
}
