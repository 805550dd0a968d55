import { isSteady } from '../../main/contract/flag-text';
import { levelText as loadText } from '../../main/contract/level-text';
import type { LoadPoint } from '../../main/contract/results';
import { formatCount, formatMs, formatRate, formatShare } from '../../main/contract/numbers';
import type { Chart, SweepInput } from './chart';
import { baseLayout, levelOf, sweepName } from './chart';
import { doubtLines, hollowMark } from './doubt-text';
import { wrapLines } from './hover-text';
import { levelsOf, valueAxis } from './sweep-axis';
import { sortedPoints } from './sweep-series';
import type { Axis, Trace } from './trace';

/** The parts of a request's time in the order in which it passes them; `steps`: of the eight of `requestSteps`. */
export const latencyComponents: readonly {
  readonly name: string;
  readonly steps: string;
  readonly explanation: string;
  /** null: the tool did not say. */
  readonly valueOf: (point: LoadPoint) => number | null;
}[] = [
  {
    name: 'Client send',
    steps: 'step 1',
    explanation: 'the client serializes and sends the request',
    valueOf: (point) => point.clientSendUs,
  },
  {
    name: 'Network + server',
    steps: 'steps 2, 3, 6, 7',
    explanation: 'both ways on the network; the server receives the request and sends the response',
    valueOf: (point) => point.networkServerSendRecvUs,
  },
  {
    name: 'Server queue',
    steps: 'step 4',
    explanation: 'waits for a batch to fill or an instance to be free',
    valueOf: (point) => point.serverQueueUs,
  },
  {
    name: 'Compute input',
    steps: 'step 5',
    explanation: 'inputs are gathered and copied to the device',
    valueOf: (point) => point.serverComputeInputUs,
  },
  {
    name: 'Compute infer',
    steps: 'step 5',
    explanation: 'the model runs',
    valueOf: (point) => point.serverComputeInferUs,
  },
  {
    name: 'Compute output',
    steps: 'step 5',
    explanation: 'outputs are copied from the device and handed back',
    valueOf: (point) => point.serverComputeOutputUs,
  },
  {
    name: 'Client receive',
    steps: 'step 8',
    explanation: 'the client deserializes the response',
    valueOf: (point) => point.clientRecvUs,
  },
];

/** Levels with room for a sign behind each number. */
const mostMarked = 16;

/** Every component of a level, the one under the pointer explained; then samples and interval. */
function levelText(point: LoadPoint, under: number): string {
  const sum = latencyComponents.reduce((total, component) => total + (component.valueOf(point) ?? 0), 0);
  const rows = latencyComponents.map((component, index) => {
    const us = component.valueOf(point);
    const share = sum > 0 && us !== null ? ` (${formatShare(us / sum)})` : '';
    const text = `${component.name} ${formatMs(us)} ms${share}`;
    if (index !== under) return text;
    const explained = wrapLines(`${component.steps} of 8: ${component.explanation}`);
    return [`▸ ${text}`, ...explained.map((line) => `   ${line}`)].join('<br>');
  });
  const interval = point.throughputIntervalIps;
  return [
    `${loadText(point)}: ${formatMs(sum)} ms`,
    ...rows,
    [
      point.requestCount === null ? '' : `${formatCount(point.requestCount)} requests, `,
      `${formatRate(point.inferencesPerSecond)}${interval === null ? '' : ` ± ${formatRate(interval)}`} inferences/s`,
    ].join(''),
    ...doubtLines(point),
  ].join('<br>');
}

/** Levels that are not steady have a sign behind their number; plotly picks the ticks of a long sweep itself. */
function markedTicks(input: SweepInput): Pick<Axis, 'tickvals' | 'ticktext'> {
  const levels = levelsOf(input);
  const shaky = new Set(
    sortedPoints(input)
      .filter((point) => !isSteady(point))
      .map((point) => levelOf(input.scenario, point)),
  );
  if (shaky.size === 0 || levels.length > mostMarked) return {};
  return {
    tickvals: levels.map(String),
    ticktext: levels.map((level) => (shaky.has(level) ? `${level} ${hollowMark}` : String(level))),
  };
}

/** Mean time of each component, stacked; milliseconds. Levels without a result keep their place, empty. */
export function componentsChart(input: SweepInput): Chart {
  const { theme, scenario } = input;
  const points = sortedPoints(input);
  const data = latencyComponents.map((component, index): Trace => ({
    type: 'bar',
    name: component.name,
    x: points.map((point) => String(levelOf(scenario, point))),
    y: points.map((point) => (component.valueOf(point) ?? NaN) / 1000),
    marker: { color: theme.components[index] ?? theme.dim, line: { width: 0.5, color: theme.panel } },
    hovertext: points.map((point) => levelText(point, index)),
    hoverinfo: 'text',
    textposition: 'none',
  }));
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
        title: { text: sweepName(input), standoff: 6, font: { size: 11, color: theme.dim } },
        tickfont: { color: theme.dim },
        linecolor: theme.line,
        nticks: 16,
        ...markedTicks(input),
      },
      yaxis: valueAxis(input, 'Mean latency, ms'),
      showlegend: true,
      legend: { ...baseLayout(theme).legend, traceorder: 'normal' },
    },
  };
}
