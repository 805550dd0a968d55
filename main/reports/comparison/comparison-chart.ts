import type { LineSeriesOption } from 'echarts/charts';
import { isSteady } from '../../contract/flag-text';
import { titleWithUnit } from '../../contract/measured/column';
import { sweepTitle } from '../../contract/run/sweep';
import type { ComparedSweepTable, Comparison } from '../../domain/comparison/comparison';
import { chartSigns, orderColors } from '../../domain/measured/chart-lines';
import {
  baseOption,
  ink,
  legendLine,
  legendSeries,
  levelAxis,
  sweepScale,
  valueAxis,
} from '../charts/chart-base';
import type { Chart } from '../charts/render-chart';

/** In the window's order; distinguishable in greyscale. */
const symbols = ['circle', 'rect', 'diamond', 'triangle', 'roundRect', 'pin'] as const;

/** Color and symbol letter of the run at `index`. */
export const runMarks = (index: number): { readonly color: string; readonly sign: string } => ({
  color: orderColors[index % orderColors.length] ?? ink.text,
  sign: ['●', '■', '◆', '▲', '▢', '★'][index % symbols.length] ?? '●',
});

/** Legend letters per line. */
const legendLetters = 52;

/** Intervals as a line series, because ECharts has no error bars. */
function intervals(
  name: string,
  color: string,
  bars: readonly (readonly [number | string, number, number])[],
) {
  return {
    type: 'line',
    name: `${name}, interval`,
    silent: true,
    symbol: 'none',
    color,
    lineStyle: { width: 1, color, opacity: 0.6 },
    data: bars.flatMap(([x, low, high]) => [
      [x, low],
      [x, high],
      [x, '-'],
    ]),
  } satisfies LineSeriesOption;
}

/** One value of all runs over the levels. */
export function comparisonChart(
  { runs }: Pick<Comparison, 'runs'>,
  { sweep, rows, columns }: ComparedSweepTable,
  at: number,
): Chart | null {
  const column = columns[at]?.column;
  const values = [...new Set(rows.map(({ level }) => level.level))];
  if (column === undefined || values.length === 0) return null;
  const scale = sweepScale(values);
  // Levels that differ in batch size are not joined.
  const isLine = rows.length === values.length;
  const position = (value: number): number | string => (scale === 'single' ? String(value) : value);
  const names = runs.map(({ short }) => short);
  const hollow = rows.some(({ level }) => level.runs.some((run) => run !== null && !isSteady(run.point)));
  const lines = runs.flatMap(({ short }, index) => {
    const { color } = runMarks(index);
    const symbol = symbols[index % symbols.length] ?? 'circle';
    const points = rows.flatMap(({ level, cells }) => {
      const value = cells[at]?.[index]?.value ?? null;
      const run = level.runs[index] ?? null;
      return value === null || run === null
        ? []
        : [{ x: position(level.level), value, steady: isSteady(run.point) }];
    });
    const bars = points.flatMap(({ x, value }) =>
      value.interval === null
        ? []
        : [[x, Math.max(0, value.value - value.interval), value.value + value.interval] as const],
    );
    return [
      {
        type: 'line',
        name: short,
        color,
        symbol,
        symbolSize: 6,
        showAllSymbol: true,
        silent: true,
        lineStyle: { width: isLine ? 1.75 : 0, color },
        data: points.map(({ x, value, steady }) => ({
          value: [x, value.value],
          symbol,
          itemStyle: { color: steady ? color : '#ffffff', borderColor: color, borderWidth: 1.5 },
        })),
      },
      intervals(short, color, bars),
    ] satisfies LineSeriesOption[];
  });
  const legend = [...names, ...(hollow ? [chartSigns.hollow] : [])];
  const legendLines = Math.ceil(legend.join('     ').length / legendLetters);
  const title = `${titleWithUnit(column)} by ${sweepTitle[sweep].toLowerCase()}`;
  return {
    id: `compare-${sweep}-${column.id}`,
    title: `${title}, ${names.join(', ')}`,
    width: 340,
    height: 208 + (legendLines - 1) * legendLine,
    option: {
      ...baseOption(title, legend, legendLines),
      xAxis: levelAxis(sweep, values, scale),
      yAxis: valueAxis(titleWithUnit(column)),
      series: [...lines, ...legendSeries(hollow ? [chartSigns.hollow] : [])],
    } as Chart['option'],
  };
}
