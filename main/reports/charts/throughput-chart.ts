import { okabeIto } from '../../contract/palette';
import { sweepTitle } from '../../contract/sweep';
import type { ReportScenario } from '../report';
import { baseOption, sweepAxis, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { hollowNames, hollowSeries } from './hollow';
import { pointSeries } from './point-series';
import { publishedSeries } from './published-series';
import type { Chart } from './render-chart';

export function throughputChart(scenario: ReportScenario): Chart {
  const title = `Throughput by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const legend = [
    'throughput',
    ...(scenario.baseline === null ? [] : [scenario.baseline.label]),
    ...hollowNames(scenario),
  ];
  const look = { name: 'throughput', color: okabeIto.blue, symbol: 'circle' } as const;
  return {
    id: `${scenario.id}-throughput`,
    title: `${scenario.title}: ${title}, inferences per second`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, legend.length === 1 ? [] : legend),
      xAxis: sweepAxis(scenario),
      yAxis: valueAxis('inferences/s'),
      series: [
        pointSeries(scenario, look, (point) => point.inferencesPerSecond),
        ...publishedSeries(scenario, (point) => point.inferencesPerSecond),
        ...hollowSeries(scenario),
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}
