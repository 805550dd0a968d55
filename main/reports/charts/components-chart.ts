import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import { latencyComponents } from '../load-columns';
import { sweepTitle } from '../../contract/sweep';
import type { ReportScenario } from '../report';
import { baseOption, legendLine, plotted, sweepCategories, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { hollowNames, hollowSeries } from './hollow';
import { componentColors, okabeIto } from '../../contract/palette';
import type { Chart } from './render-chart';

const shortName = (heading: string): string =>
  heading.replace(' (ms)', '').replace('Server Compute', 'Compute');

const inMs = (us: number | null): number | null => (us === null ? null : us / 1000);

const measuredMean = 'measured avg';

export function componentsChart(scenario: ReportScenario): Chart {
  const title = `Where the time goes, by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const bars = latencyComponents.map(({ heading, read }, index): BarSeriesOption => ({
    type: 'bar',
    name: shortName(heading),
    stack: 'latency',
    silent: true,
    barMaxWidth: 34,
    barCategoryGap: '35%',
    color: componentColors[index] ?? okabeIto.black,
    data: scenario.rows.map(({ point }) => (point === null ? '-' : plotted(inMs(read(point))))),
  }));
  const mean: LineSeriesOption = {
    type: 'line',
    name: measuredMean,
    silent: true,
    symbol: 'diamond',
    symbolSize: 7,
    color: okabeIto.black,
    lineStyle: { width: 0 },
    data: scenario.rows.map(({ point }) => (point === null ? '-' : plotted(inMs(point.avgUs)))),
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
        [
          ...latencyComponents.map(({ heading }) => shortName(heading)),
          measuredMean,
          ...hollowNames(scenario),
        ],
        2,
      ),
      xAxis: sweepCategories(scenario),
      yAxis: valueAxis('ms'),
      series: [...bars, mean, ...hollowSeries(scenario), { ...holeSeries(scenario), data: holes }],
    } as Chart['option'],
  };
}
