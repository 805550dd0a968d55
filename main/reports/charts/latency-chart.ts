import { sweepTitle } from '../../contract/sweep';
import type { ReportScenario } from '../report';
import { baseOption, sweepAxis, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { hollowNames, hollowSeries } from './hollow';
import { okabeIto } from '../../contract/palette';
import { pointSeries } from './point-series';
import { publishedSeries } from './published-series';
import type { Chart } from './render-chart';

/** Of an open loop with the wait for the send: dashed what the requests alone took. */
function rateChart(scenario: ReportScenario): Chart {
  const title = 'Latency by request rate';
  const names = ['p50 schedule', 'p99 schedule', 'p50 send', 'p99 send'] as const;
  const ms = (us: number | undefined) => (us === undefined ? null : us / 1000);
  const blue = { color: okabeIto.blue, symbol: 'circle' } as const;
  const red = { color: okabeIto.vermillion, symbol: 'triangle' } as const;
  return {
    id: `${scenario.id}-latency`,
    title: `${scenario.title}: ${title}, p50 and p99 from the schedule and from the send, in milliseconds`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, [...names, ...hollowNames(scenario)]),
      xAxis: sweepAxis(scenario),
      yAxis: valueAxis('ms'),
      series: [
        pointSeries(scenario, { name: names[0], ...blue }, (p) => ms(p.scheduled?.p50Us)),
        pointSeries(scenario, { name: names[1], ...red }, (p) => ms(p.scheduled?.p99Us)),
        pointSeries(scenario, { name: names[2], ...blue, dashed: true }, (p) => ms(p.p50Us)),
        pointSeries(scenario, { name: names[3], ...red, dashed: true }, (p) => ms(p.p99Us)),
        ...hollowSeries(scenario),
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}

export function latencyChart(scenario: ReportScenario): Chart {
  if (scenario.sweep === 'requestRate') return rateChart(scenario);
  const title = `Latency by ${sweepTitle[scenario.sweep].toLowerCase()}`;
  const published = publishedSeries(scenario, ({ p99Ms }) => p99Ms, 'p99 ');
  return {
    id: `${scenario.id}-latency`,
    title: `${scenario.title}: ${title}, p50, p95 and p99 in milliseconds`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, [
        ...['p50', 'p95', 'p99'],
        ...published.map(({ name }) => String(name)),
        ...hollowNames(scenario),
      ]),
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
        ...hollowSeries(scenario),
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}
