import type { LineSeriesOption } from 'echarts/charts';
import type { JointStrategy } from '../../contract/study/joint';
import { orderColors } from '../../domain/measured/chart-lines';
import { type JointTry, percentOfTarget, shownTry } from '../../domain/study/joint/joint-tries';
import { baseOption, ink, niceEnd, rateAxis, valueAxis } from './chart-base';
import type { Chart } from './render-chart';
import { budgetLine } from './report-charts';

const symbols = ['circle', 'rect', 'diamond', 'triangle'] as const;

const shared = { type: 'line', silent: true, showAllSymbol: true } as const;

/** A model of the set over its loads; hollow where the set did not hold the load. */
function modelSeries(title: string, { loads }: JointTry, at: number): LineSeriesOption {
  const color = orderColors[at % orderColors.length] ?? ink.text;
  const symbol = symbols[at % symbols.length] ?? 'circle';
  return {
    ...shared,
    ...{ name: title, color, symbol, symbolSize: 7, z: 3 },
    lineStyle: { width: 1.75, color },
    data: loads.flatMap(({ factor, held, parts }) => {
      const part = parts[at];
      if (part === undefined) return [];
      const value = [factor, percentOfTarget(part.latencyUs / part.limitUs)];
      return [{ value, symbol: held ? symbol : 'emptyCircle' }];
    }),
  };
}

/** Loads of the other sets, each by the model that is nearest to its target. */
function otherSeries(tries: readonly JointTry[], name: string, isHeld: boolean): LineSeriesOption {
  const loads = tries.flatMap((one) => one.loads).filter(({ held }) => held === isHeld);
  return {
    ...shared,
    ...{ name, color: ink.soft, symbol: isHeld ? 'circle' : 'emptyCircle', symbolSize: 5 },
    lineStyle: { width: 0 },
    data: loads.map(({ factor, share }) => [factor, percentOfTarget(share)]),
  };
}

/** As in the window: the latency of each model of the best set, of its target, over the load of all; null without a load. */
export function jointChart(joint: JointStrategy, tries: readonly JointTry[]): Chart | null {
  const shown = shownTry(tries);
  const factors = tries.flatMap(({ loads }) => loads.map(({ factor }) => factor));
  if (shown === null || factors.length === 0) return null;
  const others = tries.filter((one) => one !== shown);
  const end = niceEnd(factors);
  const series: readonly LineSeriesOption[] = [
    budgetLine('Target of each model', 100, end),
    otherSeries(others, 'Other configurations, held', true),
    otherSeries(others, 'Load that was not held', false),
    ...joint.models.map(({ title }, at) => modelSeries(title, shown, at)),
  ];
  const sets = shown.isBest ? 'best configurations' : 'configurations that were tried first';
  const title = `Latency of each model of the ${sets}, by the load of all`;
  return {
    id: 'joint-loads',
    title: `${title}, in percent of its target`,
    width: 1140,
    height: 250,
    option: {
      ...baseOption(
        title,
        series.map(({ name }) => String(name)),
      ),
      xAxis: rateAxis(end, joint.isMix ? 'Inferences/s of all' : 'Load (× the given rates)'),
      yAxis: valueAxis('Latency (% of its target)'),
      series,
    } as Chart['option'],
  };
}
