import type { LineSeriesOption } from 'echarts/charts';
import { isThrottled } from '../../contract/measured/detail-columns';
import { sweepTitle } from '../../contract/run/sweep';
import { budgetColor, chartSigns, okabeIto, orderColors } from '../../domain/measured/chart-lines';
import { gpuCharts } from '../../domain/measured/points';
import type { ReportScenario } from '../report';
import {
  baseOption,
  hollowNames,
  hollowSeries,
  legendLine,
  sweepAxis,
  sweepPosition,
  valueAxis,
} from './chart-base';
import { holeSeries, pointSeries } from './point-series';
import type { Chart } from './render-chart';

const gpuSymbols = ['circle', 'rect', 'triangle', 'diamond'] as const;

/** GPU readings per level; a mark on the axis shows throttled clocks. */
export function gpuReadings(scenario: ReportScenario): readonly Chart[] {
  const points = scenario.rows.flatMap(({ point }) => point ?? []);
  const throttled = scenario.rows.filter(({ point }) => point?.gpus?.some(isThrottled) === true);
  const charts = gpuCharts(points);
  return charts.map(({ id, title: of, unit, lines }, at) => {
    const title = `${of} by ${sweepTitle[scenario.sweep].toLowerCase()}`;
    const several = lines.some(({ gpu }) => gpu > 0);
    const sign: LineSeriesOption = {
      type: 'line',
      name: chartSigns.throttled,
      silent: true,
      symbol: 'triangle',
      symbolSize: 9,
      showAllSymbol: true,
      clip: false,
      color: budgetColor,
      lineStyle: { width: 0 },
      data: throttled.map((row) => [sweepPosition(scenario, row), 0]),
    };
    const legend = [
      ...lines.map(({ name }) => name),
      ...(throttled.length === 0 ? [] : [chartSigns.throttled]),
      ...hollowNames(scenario),
    ];
    // An odd last chart spans the row.
    const isWide = at === charts.length - 1 && at % 2 === 0;
    return {
      id: `${scenario.id}-${id}`,
      title: `${scenario.title}: ${title}, ${unit}`,
      width: isWide ? 690 : 340,
      height: 208 + (several ? legendLine : 0),
      option: {
        ...baseOption(title, legend, several ? 2 : 1),
        xAxis: sweepAxis(scenario),
        yAxis: valueAxis(unit, unit === '%' ? 100 : undefined),
        series: [
          ...lines.map(({ name, gpu, second, read }) =>
            pointSeries(
              scenario,
              {
                name,
                color: orderColors[several ? gpu : second ? 1 : 0] ?? okabeIto.black,
                symbol:
                  (several ? gpuSymbols[gpu % gpuSymbols.length] : second ? 'rect' : 'circle') ?? 'circle',
                dash: second ? 'dashed' : undefined,
              },
              read,
            ),
          ),
          ...(throttled.length === 0 ? [] : [sign]),
          ...hollowSeries(scenario),
          holeSeries(scenario),
        ],
      } as Chart['option'],
    };
  });
}
