import type { Timeline } from '../../main/contract/measured/timeline';
import { formatMeasured } from '../../main/contract/numbers';
import { endOf, timelineLines, timelineTitles } from '../../main/domain/measured/overload/timeline-lines';
import type { Chart } from './chart';
import type { ChartTheme } from './chart-theme';
import { timeLinesChart } from './time-lines-chart';

/** Requests, or latencies, over the time of one level. */
export const timelineChart = (what: 'requests' | 'latency', { slices }: Timeline, theme: ChartTheme): Chart =>
  timeLinesChart(
    timelineLines(what, slices),
    {
      ...{ time: timelineTitles.time, end: endOf(slices) },
      value: what === 'requests' ? timelineTitles.requestAxis : timelineTitles.latencyAxis,
      timeText: (seconds) => `${formatMeasured(seconds)} s`,
    },
    theme,
  );
