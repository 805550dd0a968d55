import type { LineSeriesOption } from 'echarts/charts';
import { formatMeasured } from '../../contract/numbers';
import type { LoadPoint } from '../../contract/results';
import type { ReportScenario } from '../report';
import { plotted, sweepPosition } from './chart-base';

export interface SeriesLook {
  readonly name: string;
  readonly color: string;
  readonly symbol: 'circle' | 'rect' | 'triangle' | 'diamond';
  readonly dashed?: boolean;
}

/** A line through the levels: solid marks are steady, hollow ones are not, and a hole interrupts the line. */
export function pointSeries(
  scenario: ReportScenario,
  look: SeriesLook,
  read: (point: LoadPoint) => number | null,
): LineSeriesOption {
  const alone = scenario.rows.filter(({ point }) => point !== null).length === 1;
  return {
    type: 'line',
    name: look.name,
    color: look.color,
    symbol: look.symbol,
    symbolSize: alone ? 9 : 6,
    showAllSymbol: true,
    silent: true,
    lineStyle: { width: 1.75, color: look.color, type: look.dashed === true ? 'dashed' : 'solid' },
    label: {
      show: alone,
      position: 'right',
      distance: 8,
      fontSize: 10,
      formatter: ({ value }) => {
        const shown = Array.isArray(value) ? value[1] : value;
        return typeof shown === 'number' ? formatMeasured(shown) : '';
      },
    },
    data: scenario.rows.map((row) => ({
      value: [sweepPosition(scenario, row), row.point === null ? '-' : plotted(read(row.point))],
      symbol: look.symbol,
      itemStyle: { color: row.steady ? look.color : '#ffffff', borderColor: look.color, borderWidth: 1.5 },
    })),
  };
}
