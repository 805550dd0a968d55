import type { LineSeriesOption } from 'echarts/charts';
import { chartSigns } from '../../contract/measured/chart-lines';
import type { ReportLevel, ReportScenario } from '../report';

export const ink = { text: '#1f2933', soft: '#52606d', line: '#cbd2d9', grid: '#e4e7eb' } as const;

/** Single quotes: the chart renderer puts it into an attribute as it is. */
export const chartFont = "'Helvetica Neue', 'Liberation Sans', Arial, 'DejaVu Sans', sans-serif";

/** Measured and not steady. */
export const isHollow = ({ point, steady }: ReportLevel): boolean => point !== null && !steady;

/** What the legend says of hollow symbols; nothing where there are none. */
export const hollowNames = (scenario: ReportScenario): readonly string[] =>
  scenario.rows.some(isHollow) ? [chartSigns.hollow] : [];

/** A series without a point, for the legend. */
export function hollowSeries(scenario: ReportScenario): readonly LineSeriesOption[] {
  return hollowNames(scenario).map((of) => ({
    type: 'line',
    name: of,
    silent: true,
    symbol: 'emptyCircle',
    symbolSize: 6,
    color: ink.text,
    lineStyle: { width: 0 },
    data: [],
  }));
}
