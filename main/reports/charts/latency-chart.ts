import type { ReportScenario } from '../report';
import { baseOption, sweepAxis, sweepNames, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { okabeIto } from '../../contract/palette';
import { pointSeries } from './point-series';
import { publishedSeries } from './published-series';
import type { Chart } from './render-chart';

export function latencyChart(scenario: ReportScenario): Chart {
  const title = `Latency by ${sweepNames[scenario.sweep].toLowerCase()}`;
  const published = publishedSeries(scenario, ({ p99Ms }) => p99Ms, 'p99 ');
  return {
    id: `${scenario.id}-latency`,
    title: `${scenario.title}: ${title}, p50, p95 and p99 in milliseconds`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, ['p50', 'p95', 'p99', ...published.map(({ name }) => String(name))]),
      xAxis: sweepAxis(scenario),
      yAxis: valueAxis('ms'),
      series: [
        pointSeries(scenario, { name: 'p50', color: okabeIto.blue, symbol: 'circle' }, (p) => p.p50Us / 1000),
        pointSeries(scenario, { name: 'p95', color: okabeIto.orange, symbol: 'rect' }, (p) => p.p95Us / 1000),
        pointSeries(
          scenario,
          { name: 'p99', color: okabeIto.vermillion, symbol: 'triangle' },
          (p) => p.p99Us / 1000,
        ),
        ...published,
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}
