import type { Soaked } from '../../../../main/contract/study/soak';
import {
  loadLines,
  memoryLines,
  soakTimeOf,
  soakTitles,
  warmEndOf,
} from '../../../../main/domain/study/soak/soak-charts';
import { sinceText } from '../../../../main/domain/study/soak/soak-text';
import { type Chart, lineAcross } from '../../../charts/chart';
import type { ChartTheme } from '../../../charts/chart-theme';
import { timeLinesChart } from '../../../charts/time-lines-chart';

/** The charts of a soak, over the same time. */
export function soakCharts(
  soaked: Soaked,
  theme: ChartTheme,
): Readonly<Record<'memory' | 'p99' | 'throughput', Chart>> {
  const { title: time, unitMs, end } = soakTimeOf(soaked);
  const axes = { time, end, timeText: (at: number) => sinceText(at * unitMs) };
  const { p99, throughput } = loadLines(soaked);
  const warmEnd = warmEndOf(soaked);
  const memory = timeLinesChart(
    memoryLines(soaked),
    { ...axes, value: soakTitles.memoryAxis, isSigned: true },
    theme,
  );
  return {
    memory:
      warmEnd === null
        ? memory
        : { ...memory, layout: { ...memory.layout, shapes: [lineAcross(warmEnd, theme.dim)] } },
    p99: timeLinesChart([p99], { ...axes, value: soakTitles.p99Axis }, theme),
    throughput: timeLinesChart([throughput], { ...axes, value: soakTitles.throughputAxis }, theme),
  };
}
