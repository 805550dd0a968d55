import { modelColumns } from '../../../main/contract/monitor/model-columns';
import type { MonitorHistory } from '../../../main/contract/monitor/monitor-history';
import type { Chart } from '../chart';
import type { Trace } from '../trace';
import { aboveSigns, clippedTop } from './clipped-axis';
import { localMs } from './history-columns';
import { drawnWindow, type MonitorChartInput, timeChart } from './monitor-time-chart';

/** More bars could not be told apart in half a page. */
const mostBars = 240;

/** A step is a quarter of what a bar stands for. */
const barSteps = 4 * mostBars;

/** With more seconds the slowest of each group is drawn, so that no outlier is lost. */
function barSeconds(total: Float32Array): { readonly at: readonly number[]; readonly seconds: number } {
  const length = Math.max(1, Math.ceil(total.length / mostBars));
  const at: number[] = [];
  for (let from = 0; from < total.length; from += length) {
    let best = -1;
    for (let index = from; index < Math.min(total.length, from + length); index += 1) {
      const value = total[index] ?? NaN;
      if (!Number.isNaN(value) && (best < 0 || value > (total[best] ?? NaN))) best = index;
    }
    if (best >= 0) at.push(best);
  }
  return { at, seconds: length };
}

const stack = [
  ['queueUs', 2],
  ['computeInputUs', 3],
  ['computeInferUs', 4],
  ['computeOutputUs', 5],
] as const;

interface StackBars {
  readonly drawn: string;
  readonly seconds: number;
  readonly x: readonly number[];
  /** Milliseconds, a list for each part of the stack. */
  readonly parts: readonly (readonly number[])[];
}

const lastBars = new WeakMap<MonitorHistory, StackBars>();

/** The bars of a window up to its last step: between two steps they are the same. */
function stackBars(input: MonitorChartInput): StackBars {
  const { history, key } = input;
  const { endMs, fromMs, stepMs } = drawnWindow(input, barSteps);
  const toMs = stepMs === 1000 ? input.toMs : Math.min(input.toMs, endMs - stepMs);
  const drawn = [key, history.generation, fromMs, toMs].join();
  const last = lastBars.get(history);
  if (last?.drawn === drawn && stepMs > 1000) return last;
  const series = stack.map(([field]) => history.values(key, field, fromMs, toMs));
  const total = Float32Array.from({ length: series[0]?.length ?? 0 }, (_unused, at) =>
    series.reduce((sum, values) => sum + (values[at] ?? NaN), 0),
  );
  const { at, seconds } = barSeconds(total);
  const startMs = localMs(history.within(fromMs, toMs).fromMs);
  const bars = {
    drawn,
    seconds,
    x: at.map((second) => startMs + second * 1000),
    parts: series.map((values) => at.map((second) => (values[second] ?? NaN) / 1000)),
  };
  lastBars.set(history, bars);
  return bars;
}

export function stackChart(input: MonitorChartInput): Chart {
  const { theme } = input;
  const { x, parts, seconds } = stackBars(input);
  const data = stack.map(([field, color], index): Trace => {
    const { title, unit } = modelColumns[field];
    return {
      type: 'bar',
      name: title,
      x,
      y: parts[index] ?? [],
      width: seconds * 1000,
      marker: { color: theme.components[color], line: { width: 0 } },
      hoverinfo: 'text',
      hovertemplate: `${title} %{y:,.4~r} ${unit}${seconds > 1 ? `, slowest of ${seconds} s` : ''}<extra></extra>`,
    };
  });
  const totals = x.map((_at, index) => parts.reduce((sum, part) => sum + (part[index] ?? NaN), 0));
  const top = clippedTop([totals]);
  const above = top === null ? [] : aboveSigns(x, [totals], top, theme);
  const titles = { left: 'Mean per request (ms)', ...(top === null ? {} : { top }) };
  return timeChart(input, [...data, ...above], titles, barSteps);
}
