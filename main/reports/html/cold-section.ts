import type { BarSeriesOption } from 'echarts/charts';
import { axisTitles, lineColors } from '../../domain/measured/chart-lines';
import { coldBarNames, coldBars, type ColdRow } from '../../domain/measured/cold/cold-start';
import { trialColumns } from '../../domain/measured/cold/warm-up-trial';
import { axisStyle, baseOption, plotted, valueAxis } from '../charts/chart-base';
import { type Chart, renderChart } from '../charts/render-chart';
import type { ReportColdStart } from '../report';
import { Markup, markup, tableHead, tableRow } from './markup';

const title = 'First request after a load, and steady median';

/** Bars of first request and steady median by batch size. */
export function coldChart(rows: readonly ColdRow[]): Chart {
  const { names, first, steady } = coldBars(rows);
  const bars = (name: string, color: string, data: readonly (number | null)[]): BarSeriesOption => ({
    ...{ type: 'bar', name, silent: true, barMaxWidth: 26, color },
    data: data.map(plotted),
  });
  return {
    id: 'cold-start',
    title: `${title}, in milliseconds, by batch size`,
    width: 690,
    height: 208,
    option: {
      ...baseOption(title, Object.values(coldBarNames)),
      xAxis: {
        ...axisStyle,
        type: 'category',
        name: 'Batch size',
        nameLocation: 'middle',
        nameGap: 24,
        data: [...names],
        axisTick: { show: false },
      },
      yAxis: valueAxis(axisTitles.latency),
      series: [
        bars(coldBarNames.first, lineColors.p95, first),
        bars(coldBarNames.steady, lineColors.throughput, steady),
      ],
    } as Chart['option'],
  };
}

const listOf = (lines: readonly string[]): Markup =>
  markup`<ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul>`;

/** What a start takes, and what the first requests after it; null where it was not recorded. */
export function coldSection(cold: ReportColdStart | null): Markup | null {
  if (cold === null) return null;
  const { lines, rows, columns, trial } = cold;
  const isDrawn = rows.some(({ firstUs }) => firstUs !== null);
  return markup`<section class="cold-start">
<h2>Cold start</h2>
${listOf(lines)}
${isDrawn ? markup`<div class="charts"><figure class="wide">${new Markup(renderChart(coldChart(rows)))}</figure></div>` : null}
${
  rows.length === 0
    ? null
    : markup`<table class="fixed">${tableHead(columns)}<tbody>${rows.map((row) => tableRow(columns, row))}
</tbody></table>`
}
${
  trial === null
    ? null
    : markup`<h3>Tried with a warm-up</h3>
${listOf(trial.lines)}
<table class="fixed">${tableHead(trialColumns)}<tbody>${trial.rows.map((row) => tableRow(trialColumns, row))}
</tbody></table>`
}
</section>`;
}
