import { cellText } from '../../main/contract/measured/column';
import { throughput } from '../../main/contract/measured/columns';
import { gpus, isThrottled } from '../../main/contract/measured/detail-columns';
import type { LoadPoint } from '../../main/contract/measured/results';
import { levelText } from '../../main/contract/words';
import { chartSigns } from '../../main/domain/measured/chart-lines';
import type { GpuChart } from '../../main/domain/measured/points';
import { type Chart, levelOf, signTrace, type SweepInput } from './chart';
import { doubtLines, wrapped } from './hover-text';
import { sweepLayout } from './sweep-axis';
import { holeSeries, sortedPoints, sweepSeries } from './sweep-series';
import type { Trace } from './trace';

/** Lines of a GPU in a hover text, so that several stay on the page. */
const mostShown = 4;

function readingText(point: LoadPoint): string {
  const all = point.gpus ?? [];
  const shown = all.slice(0, mostShown).flatMap((gpu) => {
    const known = gpus.filter((column) => column.read(gpu) !== null && column.read(gpu) !== undefined);
    const values = known.map(
      (column) =>
        `${column.title.toLowerCase()} ${cellText(column, gpu)}${column.unit === '' ? '' : ` ${column.unit}`}`,
    );
    const pairs = values.flatMap((_value, index) =>
      index % 2 === 0 ? [wrapped(values.slice(index, index + 2).join(' · '))] : [],
    );
    return [wrapped(gpu.uuid), ...pairs];
  });
  return [
    wrapped(levelText(point)),
    `${cellText(throughput, point)} inferences/s`,
    ...shown,
    ...(all.length > mostShown ? [`and ${all.length - mostShown} more GPUs`] : []),
    ...doubtLines(point),
  ].join('<br>');
}

/** A sign on the axis below each level whose clocks were held down, with what held them. */
function throttledSeries(input: SweepInput): readonly Trace[] {
  const points = sortedPoints(input).filter(({ gpus: of = [] }) => of.some(isThrottled));
  if (points.length === 0) return [];
  return [
    signTrace({
      name: chartSigns.throttled,
      x: points.map((point) => levelOf(input.scenario, point)),
      y: points.map(() => 0),
      marker: { symbol: 'triangle-up', size: 11, color: input.theme.budget },
      hovertext: points.map(readingText),
    }),
  ];
}

export function gpuChart(input: SweepInput, { unit, lines }: GpuChart): Chart {
  const { theme } = input;
  const several = lines.some(({ gpu }) => gpu > 0);
  const layout = sweepLayout(input, unit);
  return {
    data: [
      ...lines.map(({ name, gpu, second, read }) => {
        const color = theme.runs[several ? gpu : second ? 1 : 0] ?? theme.dim;
        const symbol = second ? 'square' : 'circle';
        return sweepSeries(
          input,
          { name, color, symbol, dash: second ? 'dash' : 'solid' },
          read,
          undefined,
          readingText,
        );
      }),
      ...throttledSeries(input),
      ...holeSeries(input),
    ],
    layout: unit === '%' ? { ...layout, yaxis: { ...layout.yaxis, range: [0, 105] } } : layout,
  };
}
