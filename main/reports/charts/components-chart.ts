import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import { latencyComponents } from '../load-columns';
import { sweepTitle } from '../../contract/sweep';
import type { ReportScenario } from '../report';
import { baseOption, legendLine, plotted, sweepCategories, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { okabeIto } from '../../contract/palette';
import type { Chart } from './render-chart';

/** In the order a request passes them, as in the columns; compute infer has the strongest colour. */
const colours = [
  okabeIto.purple,
  okabeIto.sky,
  okabeIto.orange,
  okabeIto.yellow,
  okabeIto.blue,
  okabeIto.green,
  okabeIto.vermillion,
] as const;

const shortName = (heading: string): string =>
  heading.replace(' (ms)', '').replace('Server Compute', 'Compute');

const inMs = (us: number | null): number | null => (us === null ? null : us / 1000);

const measuredMean = 'measured avg';

/** Bars of levels that are not steady are pale. */
const paleOpacity = 0.4;

export function componentsChart(scenario: ReportScenario): Chart {
  const title = `Where the time goes, by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const bars = latencyComponents.map(({ heading, read }, index): BarSeriesOption => ({
    type: 'bar',
    name: shortName(heading),
    stack: 'latency',
    silent: true,
    barMaxWidth: 34,
    barCategoryGap: '35%',
    color: colours[index] ?? okabeIto.black,
    data: scenario.rows.map(({ point, steady }) => ({
      value: point === null ? '-' : plotted(inMs(read(point))),
      itemStyle: { opacity: steady ? 1 : paleOpacity },
    })),
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
      ...baseOption(title, [...latencyComponents.map(({ heading }) => shortName(heading)), measuredMean], 2),
      xAxis: sweepCategories(scenario),
      yAxis: valueAxis('ms'),
      series: [...bars, mean, { ...holeSeries(scenario), data: holes }],
    } as Chart['option'],
  };
}
