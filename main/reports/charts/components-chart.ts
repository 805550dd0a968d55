import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import { numberOf } from '../../contract/column';
import { components } from '../../contract/columns';
import { componentColors, okabeIto } from '../../contract/palette';
import { sweepTitle } from '../../contract/sweep';
import type { ReportScenario } from '../report';
import { baseOption, legendLine, plotted, sweepCategories, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { hollowNames, hollowSeries } from './hollow';
import type { Chart } from './render-chart';

const measuredMean = 'measured avg';

export function componentsChart(scenario: ReportScenario): Chart {
  const title = `Where the time goes, by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const bars = components.map((component, index): BarSeriesOption => ({
    type: 'bar',
    name: component.title,
    stack: 'latency',
    silent: true,
    barMaxWidth: 34,
    barCategoryGap: '35%',
    color: componentColors[index] ?? okabeIto.black,
    data: scenario.rows.map(({ point }) => (point === null ? '-' : plotted(numberOf(component)(point)))),
  }));
  const mean: LineSeriesOption = {
    type: 'line',
    name: measuredMean,
    silent: true,
    symbol: 'diamond',
    symbolSize: 7,
    color: okabeIto.black,
    lineStyle: { width: 0 },
    data: scenario.rows.map(({ point }) =>
      point === null ? '-' : plotted(point.avgUs === null ? null : point.avgUs / 1000),
    ),
  };
  const holes = scenario.rows.map(({ point }) => (point === null ? 0 : '-'));
  return {
    id: `${scenario.id}-components`,
    title: `${scenario.title}: mean latency by component in milliseconds, by ${sweepTitle[scenario.sweep].toLowerCase()}`,
    width: 690,
    height: 226 + legendLine,
    option: {
      ...baseOption(
        title,
        [...components.map(({ title: name }) => name), measuredMean, ...hollowNames(scenario)],
        2,
      ),
      xAxis: sweepCategories(scenario),
      yAxis: valueAxis('ms'),
      series: [...bars, mean, ...hollowSeries(scenario), { ...holeSeries(scenario), data: holes }],
    } as Chart['option'],
  };
}
