import { chartFactor, modelColumns, type ModelField } from '../../../main/contract/monitor/model-columns';
import type { SeriesField } from '../../../main/contract/monitor/monitor-history';
import type { Chart } from '../chart';
import type { Trace } from '../trace';
import { aboveSigns, clippedTop } from './clipped-axis';
import { columnsOf } from './history-columns';
import { drawnWindow, lineSteps, type MonitorChartInput, timeChart } from './monitor-time-chart';

interface LineStyle {
  readonly name: string;
  readonly color: string;
  readonly unit: string;
  readonly factor?: number;
  readonly dash?: string;
  readonly right?: boolean;
}

function line(input: MonitorChartInput, field: SeriesField, style: LineStyle): Trace {
  const { fromMs } = drawnWindow(input, lineSteps);
  const columns = columnsOf(input.history);
  return {
    type: 'scatter',
    mode: 'lines',
    name: style.name,
    x: columns.times(fromMs, input.toMs),
    y: columns.values(input.key, field, style.factor ?? 1, fromMs, input.toMs),
    ...(style.right === true ? { yaxis: 'y2' } : {}),
    line: { color: style.color, width: 1.5, dash: style.dash ?? 'solid' },
    hoverinfo: 'text',
    hovertemplate: `${style.name} %{y:,.4~r} ${style.unit}<extra></extra>`,
  };
}

type ModelLineStyle = Pick<LineStyle, 'color' | 'dash' | 'right'>;

function modelLine(input: MonitorChartInput, field: ModelField, style: ModelLineStyle): Trace {
  const column = modelColumns[field];
  return line(input, field, { ...style, name: column.title, unit: column.unit, factor: chartFactor(column) });
}

export function rateChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const errors = modelLine(input, 'errorShare', { color: theme.p99, dash: 'dash', right: true });
  let worst = 0;
  for (let index = 0; index < errors.y.length; index += 1) worst = Math.max(worst, errors.y[index] || 0);
  return timeChart(
    input,
    [modelLine(input, 'requestsPerSecond', { color: theme.throughput }), errors],
    // A line at the foot says that nothing failed; one per cent must not look like all of it.
    { left: 'Requests/s', right: 'Errors (%)', rightTop: Math.max(5, worst * 1.1) },
  );
}

export function probeChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const lines = [
    modelLine(input, 'probeWorstUs', { color: theme.avg, dash: 'dot' }),
    modelLine(input, 'probeP50Us', { color: theme.p50 }),
    modelLine(input, 'probeP95Us', { color: theme.p95, dash: 'dash' }),
    modelLine(input, 'probeP99Us', { color: theme.p99 }),
  ];
  const values = lines.map(({ y }) => y);
  const top = clippedTop(values);
  const above = top === null ? [] : aboveSigns(lines[0]?.x ?? [], values, top, theme);
  return timeChart(input, [...lines, ...above], {
    left: 'Probe latency (ms)',
    ...(top === null ? {} : { top }),
  });
}

export function batchSizeChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  return timeChart(
    input,
    [
      modelLine(input, 'batch', { color: theme.batch }),
      modelLine(input, 'inferencesPerSecond', { color: theme.throughput, dash: 'dash', right: true }),
    ],
    { left: modelColumns.batch.title, right: 'Inferences/s' },
  );
}

export function gpuChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  return timeChart(
    input,
    [
      line(input, 'utilization', { name: 'Utilization', color: theme.throughput, unit: '%', factor: 100 }),
      line(input, 'powerWatts', { name: 'Power', color: theme.p95, unit: 'W', dash: 'dash', right: true }),
      line(input, 'memoryUsedBytes', {
        name: 'Memory (GiB)',
        color: theme.batch,
        unit: 'GiB',
        factor: 1 / 2 ** 30,
        dash: 'dot',
        right: true,
      }),
    ],
    { left: 'Utilization (%)', right: 'W, GiB', top: 100 },
  );
}
