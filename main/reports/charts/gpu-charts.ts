import type { BarSeriesOption } from 'echarts/charts';
import { choiceText, type DeviceGroup, throughputOf } from '../../contract/measured/by-gpu';
import { formatRate } from '../../contract/numbers';
import { okabeIto } from '../../contract/palette';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { baseOption, choiceAxis, ink, legendLine, niceEnd, plotted, rateAxis } from './chart-base';
import type { Chart } from './render-chart';

/** Further ones are in the table. */
const mostBars = 60;
const barHeight = 15;
/** Letters of a choice beside its bars. */
const mostLetters = 34;
/** Letters of the legend that fit on one line. */
const legendLetters = 62;

const { blue, orange, green, purple, sky, vermillion, yellow, black } = okabeIto;
const colors = [blue, orange, green, purple, sky, vermillion, yellow, black];

const short = (text: string): string =>
  text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;

function gpuChart(groups: readonly DeviceGroup[], scenario: Scenario): readonly Chart[] {
  const choices = [...new Set(groups.flatMap(({ rows }) => rows.map(({ result }) => choiceText(result))))];
  const valueOf = ({ rows }: DeviceGroup, choice: string): number | null => {
    const row = rows.find(({ result }) => choiceText(result) === choice);
    return row === undefined ? null : throughputOf(row.result, scenario);
  };
  const all = groups.flatMap((group) => choices.map((choice) => valueOf(group, choice)));
  const values = all.filter((value) => value !== null);
  if (values.length === 0 || all.length > mostBars) return [];
  const names = groups.map(({ device }) => device);
  const legendLines = Math.ceil(names.join('    ').length / legendLetters);
  const title = `Throughput ${scenario} by GPU`;
  const series = groups.map((group, at): BarSeriesOption => ({
    type: 'bar',
    name: group.device,
    silent: true,
    barMaxWidth: 12,
    barCategoryGap: '30%',
    color: colors[at % colors.length] ?? black,
    label: {
      show: true,
      position: 'right',
      fontSize: 9,
      color: ink.soft,
      formatter: ({ value }) => (typeof value === 'number' ? formatRate(value) : ''),
    },
    data: choices.map((choice) => plotted(valueOf(group, choice))),
  }));
  return [
    {
      id: `gpu-${scenario}`,
      title: `${title}: the best steady level of each choice, inferences per second`,
      width: 480,
      height: 110 + legendLines * legendLine + choices.length * (groups.length * barHeight + 12),
      option: {
        ...baseOption(title, names, legendLines),
        xAxis: rateAxis(niceEnd(values.map((value) => value * 1.1))),
        yAxis: choiceAxis(choices.map(short)),
        series,
      } as Chart['option'],
    },
  ];
}

/** Throughput of each choice on each GPU, a chart per scenario that was measured. */
export const gpuCharts = (groups: readonly DeviceGroup[]): readonly Chart[] =>
  scenarios.flatMap((scenario) => gpuChart(groups, scenario));
