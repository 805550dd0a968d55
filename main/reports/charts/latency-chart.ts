import { numberOf } from '../../contract/column';
import { fromSend, p50, p95, p99, scheduledP50, scheduledP99 } from '../../contract/columns';
import { okabeIto } from '../../contract/palette';
import { sweepTitle } from '../../contract/sweep';
import type { ReportScenario } from '../report';
import { baseOption, sweepAxis, valueAxis } from './chart-base';
import { holeSeries } from './hole-series';
import { hollowNames, hollowSeries } from './hollow';
import { pointSeries } from './point-series';
import { publishedSeries } from './published-series';
import type { Chart } from './render-chart';

/** Of an open loop with the wait for the send: dashed what the requests alone took. */
function rateChart(scenario: ReportScenario): Chart {
  const title = 'Latency by request rate';
  const columns = [scheduledP50, scheduledP99, fromSend(p50), fromSend(p99)];
  const blue = { color: okabeIto.blue, symbol: 'circle' } as const;
  const red = { color: okabeIto.vermillion, symbol: 'triangle' } as const;
  return {
    id: `${scenario.id}-latency`,
    title: `${scenario.title}: ${title}, p50 and p99 from the schedule and from the send, in milliseconds`,
    width: 340,
    height: 208,
    option: {
      ...baseOption(title, [...columns.map(({ title: name }) => name), ...hollowNames(scenario)], 2),
      xAxis: sweepAxis(scenario),
      yAxis: valueAxis('ms'),
      series: [
        ...columns.map((column, index) =>
          pointSeries(
            scenario,
            { name: column.title, ...(index % 2 === 0 ? blue : red), dashed: index > 1 },
            numberOf(column),
          ),
        ),
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
        pointSeries(scenario, { name: 'p50', color: okabeIto.blue, symbol: 'circle' }, numberOf(p50)),
        pointSeries(scenario, { name: 'p95', color: okabeIto.orange, symbol: 'rect' }, numberOf(p95)),
        pointSeries(scenario, { name: 'p99', color: okabeIto.vermillion, symbol: 'triangle' }, numberOf(p99)),
        ...published,
        ...hollowSeries(scenario),
        holeSeries(scenario),
      ],
    } as Chart['option'],
  };
}
