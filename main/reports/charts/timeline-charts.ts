import type { LineSeriesOption } from 'echarts/charts';
import type { Slice } from '../../contract/measured/timeline';
import { levelText } from '../../contract/words';
import {
  drawnLines,
  requestLines,
  sliceLatencyLines,
  type TimelineLine,
  timelineTitles,
  timeOf,
} from '../../domain/measured/overload/timeline-lines';
import type { ReportScenario } from '../report';
import { baseOption, plotted, timeAxis, valueAxis } from './chart-base';
import { symbolNames } from './point-series';
import type { Chart } from './render-chart';

/** More levels would push the tables far down. */
const mostLevels = 4;

const series = (
  { name, color, symbol, dashed = false, read }: TimelineLine,
  slices: readonly Slice[],
): LineSeriesOption => ({
  ...{ type: 'line', name, silent: true, color, symbol: symbolNames[symbol], symbolSize: 4 },
  lineStyle: { width: 1.5, color, type: dashed ? 'dashed' : 'solid' },
  data: slices.map((slice) => [timeOf(slice), plotted(read(slice))]),
});

/** Requests and latency over the time of each level that has time slices. */
export function timelineCharts(scenario: ReportScenario): readonly Chart[] {
  const levels = scenario.rows.flatMap(({ point }) =>
    point?.timeline === undefined ? [] : [{ point, slices: point.timeline.slices }],
  );
  return levels.slice(0, mostLevels).flatMap(({ point, slices }, index) =>
    (
      [
        ['requests', requestLines, timelineTitles.requestAxis],
        ['latency', sliceLatencyLines, timelineTitles.latencyAxis],
      ] as const
    ).map(([what, all, unit]): Chart => {
      const lines = drawnLines(all, slices);
      const title =
        levels.length === 1 ? timelineTitles[what] : `${timelineTitles[what]}, level ${index + 1}`;
      return {
        id: `${scenario.id}-timeline-${index}-${what}`,
        title: `${scenario.title}: ${title}, ${levelText(point)}, ${unit}`,
        width: 340,
        height: 208,
        option: {
          ...baseOption(
            title,
            lines.map(({ name }) => name),
          ),
          xAxis: timeAxis(slices.at(-1)),
          yAxis: valueAxis(unit),
          series: lines.map((line) => series(line, slices)),
        } as Chart['option'],
      };
    }),
  );
}
