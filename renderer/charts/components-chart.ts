import { isSteady } from '../../main/contract/flag-text';
import { cellText, numberOf, withHalfWidth } from '../../main/contract/measured/column';
import { components, throughput } from '../../main/contract/measured/columns';
import type { LoadPoint } from '../../main/contract/measured/results';
import { formatCount, formatMeasured, formatShare } from '../../main/contract/numbers';
import { levelText as loadText } from '../../main/contract/words';
import { axisTitles, chartSigns } from '../../main/domain/measured/chart-lines';
import { modelParts, partMs, partNames, restName } from '../../main/domain/measured/limits/model-parts';
import { baseLayout, type Chart, levelOf, type SweepInput, sweepName } from './chart';
import { doubtLines, wrapLines } from './hover-text';
import { levelsOf, valueAxis } from './sweep-axis';
import { sortedPoints } from './sweep-series';
import type { Axis, Trace } from './trace';

/** Which of the eight of `requestSteps` each component counts. */
const steps = ['step 1', 'steps 2, 3, 6, 7', 'step 4', 'step 5', 'step 5', 'step 5', 'step 8'] as const;

/** More levels leave no room for a sign behind the number. */
const mostMarked = 16;

/** Every component of a level, the one under the pointer explained; then samples and interval. */
function levelText(point: LoadPoint, under: number): string {
  const sum = components.reduce((total, component) => total + (numberOf(component)(point) ?? 0), 0);
  const rows = components.map((component, index) => {
    const ms = numberOf(component)(point);
    const share = sum > 0 && ms !== null ? ` (${formatShare(ms / sum)})` : '';
    const text = `${component.title} ${cellText(component, point)} ms${share}`;
    if (index !== under) return text;
    const explained = wrapLines(`${steps[index] ?? ''} of 8: ${component.help}`);
    return [`▸ ${text}`, ...explained.map((line) => `   ${line}`)].join('<br>');
  });
  return [
    `${loadText(point)}: ${formatMeasured(sum)} ms`,
    ...rows,
    [
      point.requestCount === null ? '' : `${formatCount(point.requestCount)} requests, `,
      `${withHalfWidth(throughput, point)} inferences/s`,
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
    ticktext: levels.map((level) => (shaky.has(level) ? `${level} ${chartSigns.hollowMark}` : String(level))),
  };
}

interface Stack {
  readonly name: string;
  readonly color: string;
  /** Milliseconds; null: not known. */
  readonly read: (point: LoadPoint) => number | null;
  readonly hover: (point: LoadPoint) => string;
}

/** Parts of the mean latency, stacked; milliseconds. Levels without a result keep their place, empty. */
function stackedChart(input: SweepInput, stacks: readonly Stack[]): Chart {
  const { theme, scenario } = input;
  const points = sortedPoints(input);
  const data = stacks.map(({ name, color, read, hover }): Trace => ({
    type: 'bar',
    name,
    x: points.map((point) => String(levelOf(scenario, point))),
    y: points.map((point) => read(point) ?? NaN),
    marker: { color, line: { width: 0.5, color: theme.panel } },
    hovertext: points.map(hover),
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
      yaxis: valueAxis(input, axisTitles.meanLatency),
      legend: { ...baseLayout(theme).legend, traceorder: 'normal' },
    },
  };
}

/** By component of a request. */
export const componentsChart = (input: SweepInput): Chart =>
  stackedChart(
    input,
    components.map((component, index) => ({
      name: component.title,
      color: input.theme.components[index] ?? input.theme.dim,
      read: numberOf(component),
      hover: (point) => levelText(point, index),
    })),
  );

/** Every model of a level, the one under the pointer marked. */
function partsText(point: LoadPoint, under: string): string {
  const sum = point.avgUs === null ? null : point.avgUs / 1000;
  const rows = modelParts(point).map(({ modelName, us, queueUs }) => {
    const share = sum === null || sum === 0 ? '' : ` (${formatShare(us / 1000 / sum)})`;
    const text = `${modelName} ${formatMeasured(us / 1000)} ms${share}, ${formatMeasured(queueUs / 1000)} ms of it in its queue`;
    return modelName === under ? `▸ ${text}` : text;
  });
  return [
    `${loadText(point)}${sum === null ? '' : `: ${formatMeasured(sum)} ms`}`,
    ...rows,
    ...doubtLines(point),
  ].join('<br>');
}

/** By model of an ensemble, or that is called by BLS; empty for other models. */
export function modelsChart(input: SweepInput): Chart {
  const { components: colors, line } = input.theme;
  const names = partNames(sortedPoints(input));
  return stackedChart(
    input,
    names.map((name, index) => ({
      name,
      color: name === restName ? line : (colors[index % colors.length] ?? line),
      read: (point) => partMs(point, name),
      hover: (point) => partsText(point, name),
    })),
  );
}
