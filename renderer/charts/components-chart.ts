import { isSteady } from '../../main/contract/flag-text';
import { cellText, numberOf, withHalfWidth } from '../../main/contract/measured/column';
import { components, throughput } from '../../main/contract/measured/columns';
import type { LoadPoint } from '../../main/contract/measured/results';
import { formatCount, formatMeasured, formatShare } from '../../main/contract/numbers';
import { levelText as loadText } from '../../main/contract/words';
import { axisTitles, chartSigns } from '../../main/domain/measured/chart-lines';
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

/** Mean time of each component, stacked; milliseconds. Levels without a result keep their place, empty. */
export function componentsChart(input: SweepInput): Chart {
  const { theme, scenario } = input;
  const points = sortedPoints(input);
  const data = components.map((component, index): Trace => ({
    type: 'bar',
    name: component.title,
    x: points.map((point) => String(levelOf(scenario, point))),
    y: points.map((point) => numberOf(component)(point) ?? NaN),
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
      yaxis: valueAxis(input, axisTitles.meanLatency),
      legend: { ...baseLayout(theme).legend, traceorder: 'normal' },
    },
  };
}
