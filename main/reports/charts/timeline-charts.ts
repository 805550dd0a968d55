import { levelText } from '../../contract/words';
import { endOf, timelineLines, timelineTitles } from '../../domain/measured/overload/timeline-lines';
import type { ReportScenario } from '../report';
import { baseOption, timeAxis, valueAxis } from './chart-base';
import type { Chart } from './render-chart';
import { timeSeries } from './time-series';

/** More levels would push the tables far down. */
const mostLevels = 4;

/** Requests and latency over the time of each level that has time slices. */
export function timelineCharts(scenario: ReportScenario): readonly Chart[] {
  const levels = scenario.rows.flatMap(({ point }) =>
    point?.timeline === undefined ? [] : [{ point, slices: point.timeline.slices }],
  );
  return levels.slice(0, mostLevels).flatMap(({ point, slices }, index) =>
    (
      [
        ['requests', timelineTitles.requestAxis],
        ['latency', timelineTitles.latencyAxis],
      ] as const
    ).map(([what, unit]): Chart => {
      const lines = timelineLines(what, slices);
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
          xAxis: timeAxis(Math.ceil(endOf(slices)), timelineTitles.time),
          yAxis: valueAxis(unit),
          series: lines.map(timeSeries),
        } as Chart['option'],
      };
    }),
  );
}
