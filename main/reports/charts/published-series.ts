import type { LineSeriesOption } from 'echarts/charts';
import type { BaselinePoint } from '../../contract/baseline-points';
import type { ReportScenario } from '../report';
import { loadPosition } from './chart-base';
import { ink } from './palette';

/**
 * Published figures as a dashed grey line with small marks, named by their hardware; nothing where none are published.
 * @param before stands in front of the name, where a chart has several values.
 */
export function publishedSeries(
  scenario: ReportScenario,
  read: (point: BaselinePoint) => number | null,
  before = '',
): readonly LineSeriesOption[] {
  const { baseline } = scenario;
  if (baseline === null) return [];
  const drawn = baseline.points.flatMap((point) => {
    const value = read(point);
    return value === null ? [] : [[loadPosition(scenario, point.load), value]];
  });
  if (drawn.length === 0) return [];
  return [
    {
      type: 'line',
      name: `${before}${baseline.label}`,
      color: ink.soft,
      symbol: 'emptyCircle',
      symbolSize: 3,
      showAllSymbol: true,
      silent: true,
      lineStyle: { width: 1.25, type: 'dashed', color: ink.soft },
      data: drawn,
    },
  ];
}
