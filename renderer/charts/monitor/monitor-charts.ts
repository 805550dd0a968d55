import type { SeriesField } from '../../../main/contract/monitor/monitor-history';
import type { Chart } from '../chart';
import type { Trace } from '../trace';
import { aboveSigns, clippedTop } from './clipped-axis';
import { columnsOf } from './history-columns';
import { drawnWindow, lineSteps, type MonitorChartInput, timeChart } from './monitor-time-chart';

interface Look {
  readonly name: string;
  readonly color: string;
  readonly unit: string;
  readonly factor?: number;
  readonly dash?: string;
  readonly right?: boolean;
}

function line(input: MonitorChartInput, field: SeriesField, look: Look): Trace {
  const { fromMs } = drawnWindow(input, lineSteps);
  const columns = columnsOf(input.history);
  return {
    type: 'scatter',
    mode: 'lines',
    name: look.name,
    x: columns.times(fromMs, input.toMs),
    y: columns.values(input.key, field, look.factor ?? 1, fromMs, input.toMs),
    ...(look.right === true ? { yaxis: 'y2' } : {}),
    line: { color: look.color, width: 1.5, dash: look.dash ?? 'solid' },
    hoverinfo: 'text',
    hovertemplate: `${look.name} %{y:,.4~r} ${look.unit}<extra></extra>`,
  };
}

/** Requests per second, and how many of them failed. */
export function rateChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const errors = line(input, 'errorShare', {
    name: 'Errors',
    color: theme.p99,
    unit: '%',
    factor: 100,
    dash: 'dash',
    right: true,
  });
  let worst = 0;
  for (let index = 0; index < errors.y.length; index += 1) worst = Math.max(worst, errors.y[index] || 0);
  return timeChart(
    input,
    [
      line(input, 'requestsPerSecond', {
        name: 'Requests',
        color: theme.throughput,
        unit: 'requests/s',
      }),
      errors,
    ],
    // A line at the foot says that nothing failed; one per cent must not look like all of it.
    { left: 'Requests/s', right: 'Errors, %', rightTop: Math.max(5, worst * 1.1) },
  );
}

/** What the probes saw from outside. */
export function probeChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const of = (name: string, field: SeriesField, color: string, dash = 'solid') =>
    line(input, field, { name, color, dash, unit: 'ms', factor: 0.001 });
  const lines = [
    of('Slowest', 'probeWorstUs', theme.avg, 'dot'),
    of('p50', 'probeP50Us', theme.p50),
    of('p95', 'probeP95Us', theme.p95, 'dash'),
    of('p99', 'probeP99Us', theme.p99),
  ];
  const values = lines.map(({ y }) => y);
  const top = clippedTop(values);
  const above = top === null ? [] : aboveSigns(lines[0]?.x ?? [], values, top, theme);
  return timeChart(input, [...lines, ...above], {
    left: 'Probe latency, ms',
    ...(top === null ? {} : { top }),
  });
}

/** How many items an execution takes together. */
export function batchSizeChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  return timeChart(
    input,
    [
      line(input, 'batch', { name: 'Mean batch', color: theme.batch, unit: 'items per execution' }),
      line(input, 'inferencesPerSecond', {
        name: 'Inferences',
        color: theme.throughput,
        unit: 'inferences/s',
        dash: 'dash',
        right: true,
      }),
    ],
    { left: 'Mean batch', right: 'Inferences/s' },
  );
}

/** Utilization, memory and power of one GPU. */
export function gpuChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  return timeChart(
    input,
    [
      line(input, 'utilization', {
        name: 'Utilization',
        color: theme.throughput,
        unit: '%',
        factor: 100,
      }),
      line(input, 'powerWatts', {
        name: 'Power',
        color: theme.p95,
        unit: 'W',
        dash: 'dash',
        right: true,
      }),
      line(input, 'memoryUsedBytes', {
        name: 'Memory, GiB',
        color: theme.batch,
        unit: 'GiB',
        factor: 1 / 2 ** 30,
        dash: 'dot',
        right: true,
      }),
    ],
    { left: 'Utilization, %', right: 'W, GiB', top: 100 },
  );
}
