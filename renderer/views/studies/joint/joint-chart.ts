import { formatMs } from '../../../../main/contract/numbers';
import type { JointStrategy } from '../../../../main/contract/study/joint';
import { largestOf } from '../../../../main/domain/statistics';
import { factorText } from '../../../../main/domain/study/joint/joint-answer';
import {
  type JointLoad,
  type JointPart,
  type JointTry,
  percentOfTarget,
  shownTry,
} from '../../../../main/domain/study/joint/joint-tries';
import { budgetView } from '../../../charts/budget-line';
import { baseLayout, type Chart, signTrace } from '../../../charts/chart';
import type { ChartTheme } from '../../../charts/chart-theme';
import { plain, wrapped } from '../../../charts/hover-text';
import { valueAxis } from '../../../charts/sweep-axis';
import type { Trace } from '../../../charts/trace';

const symbols = ['circle', 'square', 'diamond', 'cross', 'triangle-up', 'star'] as const;

const partText = ({ model, percentile, latencyUs, limitUs }: JointPart): string =>
  `${model}: p${percentile} ${formatMs(latencyUs)} of ${formatMs(limitUs)} ms`;

const hoverOf = (joint: JointStrategy, text: string, { factor, parts }: JointLoad): string =>
  [wrapped(text), ...[factorText(joint, factor), ...parts.map(partText)].map(plain)].join('<br>');

/** A load that was not held; the symbol of a steady level without an answer. */
const notHeld = 'x-thin';

/** A model of the set over its loads. */
function modelTrace(joint: JointStrategy, { text, loads }: JointTry, at: number, theme: ChartTheme): Trace {
  const color = theme.runs[at % theme.runs.length] ?? theme.throughput;
  const symbol = symbols[at % symbols.length] ?? 'circle';
  const known = loads.flatMap((load) => {
    const part = load.parts[at];
    return part === undefined ? [] : [{ load, part }];
  });
  return {
    ...{ type: 'scatter', mode: 'lines+markers', name: plain(joint.models[at]?.title ?? '') },
    x: known.map(({ load }) => load.factor),
    y: known.map(({ part: { latencyUs, limitUs } }) => percentOfTarget(latencyUs / limitUs)),
    hovertext: known.map(({ load }) => hoverOf(joint, text, load)),
    hoverinfo: 'text',
    line: { color, width: 1.75, dash: 'solid' },
    marker: {
      ...{ color, size: 7, line: { width: 1.5, color } },
      symbol: known.map(({ load }) => (load.held ? symbol : notHeld)),
    },
  };
}

/** The loads of the other sets, each by the model that is nearest to its target. */
function othersTraces(
  joint: JointStrategy,
  tries: readonly JointTry[],
  shown: JointTry,
  theme: ChartTheme,
): readonly Trace[] {
  const marks = tries
    .filter((one) => one !== shown)
    .flatMap(({ text, loads }) => loads.map((load) => ({ text, load })));
  const trace = (name: string, held: boolean, symbol: string): Trace => {
    const own = marks.filter(({ load }) => load.held === held);
    return signTrace({
      name,
      x: own.map(({ load }) => load.factor),
      y: own.map(({ load }) => percentOfTarget(load.share)),
      hovertext: own.map(({ text, load }) => hoverOf(joint, text, load)),
      marker: { color: theme.dim, size: 6, symbol, line: { width: 1.5, color: theme.dim } },
    });
  };
  return [
    trace('Other configurations, held', true, 'circle'),
    trace('Load that was not held', false, notHeld),
  ];
}

/** The latency of each model of the best set, of its target, over the load of all: which of them limits. null: nothing was measured. */
export function jointChart(
  joint: JointStrategy,
  tries: readonly JointTry[],
  theme: ChartTheme,
): Chart | null {
  const shown = shownTry(tries);
  if (shown === null) return null;
  const lines = joint.models.map((_model, at) => modelTrace(joint, shown, at, theme));
  const others = othersTraces(joint, tries, shown, theme);
  const most = largestOf(tries.flatMap(({ loads }) => loads.map(({ factor }) => factor)));
  const ends: [number, number] = [0, most * 1.06];
  const budget = budgetView([...lines, ...others], 100, ends, theme, () => 'Target of each model');
  return {
    data: [...others, ...lines, ...budget.traces],
    layout: {
      ...baseLayout(theme),
      shapes: budget.shapes,
      xaxis: {
        ...valueAxis({ theme }, joint.isMix ? 'Inferences/s of all' : 'Load (× the given rates)'),
        ...{ range: ends, automargin: false },
      },
      yaxis: { ...valueAxis({ theme }, 'Latency (% of its target)'), ...budget.axis },
    },
  };
}
