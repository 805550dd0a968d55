import { formatMeasured } from '../../../../main/contract/numbers';
import type { SoakLine } from '../../../../main/domain/study/soak/soak-charts';
import { sinceText } from '../../../../main/domain/study/soak/soak-text';
import { baseLayout, type Chart } from '../../../charts/chart';
import type { ChartTheme } from '../../../charts/chart-theme';
import { plain } from '../../../charts/hover-text';
import { valueAxis } from '../../../charts/sweep-axis';
import type { Trace } from '../../../charts/trace';

const dashes = ['solid', 'dash', 'dot'] as const;

/** Lines over the time under load; a gap is another start of the server. @param unit "MB" */
export function soakChart(lines: readonly SoakLine[], unit: string, theme: ChartTheme): Chart {
  const traces = lines.map(({ name, points }, at): Trace => {
    const color = theme.runs[at % theme.runs.length] ?? theme.throughput;
    return {
      ...{ type: 'scatter', mode: points.length > 24 ? 'lines' : 'lines+markers', name: plain(name) },
      x: points.map(([minutes]) => minutes),
      y: points.map(([, value]) => value ?? Number.NaN),
      hovertext: points.map(
        ([minutes, value]) =>
          `${plain(name)}<br>${formatMeasured(value)} ${plain(unit)} at ${sinceText(60_000 * minutes)}`,
      ),
      hoverinfo: 'text',
      line: {
        color,
        width: 1.75,
        dash: dashes[Math.floor(at / theme.runs.length) % dashes.length] ?? 'solid',
      },
      marker: { color, size: 5 },
    };
  });
  return {
    data: traces,
    layout: {
      ...baseLayout(theme),
      xaxis: valueAxis({ theme }, 'Minutes under load'),
      yaxis: valueAxis({ theme }, unit),
    },
  };
}
