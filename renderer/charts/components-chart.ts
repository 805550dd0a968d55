import type { LoadPoint } from '../../main/contract/results';
import { formatMs, formatShare } from '../format/numbers';
import { sweepText } from '../format/words';
import type { Chart, SweepInput } from './chart';
import { baseLayout, levelOf } from './chart';
import { levelsOf, valueAxis } from './sweep-axis';
import { sortedPoints } from './sweep-series';
import type { Trace } from './trace';

/** The parts of a request's time in the order in which it passes them, each with what happens there. */
export const latencyComponents: readonly {
  readonly name: string;
  readonly explanation: string;
  readonly valueOf: (point: LoadPoint) => number;
}[] = [
  {
    name: 'Client send',
    explanation: 'the client puts the request on the wire',
    valueOf: (point) => point.clientSendUs,
  },
  {
    name: 'Network + server send/recv',
    explanation: 'on the way, and in the server’s HTTP or gRPC end point',
    valueOf: (point) => point.networkServerSendRecvUs,
  },
  {
    name: 'Server queue',
    explanation: 'waits for a batch to fill or an instance to be free',
    valueOf: (point) => point.serverQueueUs,
  },
  {
    name: 'Compute input',
    explanation: 'inputs are gathered and copied to the device',
    valueOf: (point) => point.serverComputeInputUs,
  },
  { name: 'Compute infer', explanation: 'the model runs', valueOf: (point) => point.serverComputeInferUs },
  {
    name: 'Compute output',
    explanation: 'outputs are copied from the device and handed back',
    valueOf: (point) => point.serverComputeOutputUs,
  },
  {
    name: 'Client recv',
    explanation: 'the client takes the response off the wire',
    valueOf: (point) => point.clientRecvUs,
  },
];

/** Mean time of each component, stacked; milliseconds. Levels without a result keep their place, empty. */
export function componentsChart(input: SweepInput): Chart {
  const { theme, scenario } = input;
  const points = sortedPoints(input);
  const sums = points.map((point) =>
    latencyComponents.reduce((sum, component) => sum + component.valueOf(point), 0),
  );
  const data = latencyComponents.map((component, index): Trace => {
    const values = points.map(component.valueOf);
    return {
      type: 'bar',
      name: component.name,
      x: points.map((point) => String(levelOf(scenario, point))),
      y: values.map((us) => us / 1000),
      marker: { color: theme.components[index] ?? theme.dim, line: { width: 0.5, color: theme.panel } },
      hovertext: values.map((us, at) => {
        const sum = sums[at] ?? 0;
        const share = sum > 0 ? ` (${formatShare(us / sum)})` : '';
        return `<b>${component.name}</b>: ${component.explanation}<br>${formatMs(us)} ms${share}`;
      }),
      hoverinfo: 'text',
      textposition: 'none',
    };
  });
  return {
    data,
    layout: {
      ...baseLayout(theme),
      barmode: 'stack',
      bargap: 0.35,
      xaxis: {
        type: 'category',
        categoryorder: 'array',
        categoryarray: levelsOf(input).map(String),
        range: [-0.5, Math.max(1, levelsOf(input).length) - 0.5],
        title: { text: sweepText[scenario], standoff: 6, font: { size: 11, color: theme.dim } },
        tickfont: { color: theme.dim },
        linecolor: theme.line,
      },
      yaxis: valueAxis(input, 'Mean latency, ms'),
      showlegend: true,
      legend: { ...baseLayout(theme).legend, traceorder: 'normal' },
    },
  };
}
