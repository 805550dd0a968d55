import { formatMs } from '../../main/contract/numbers';
import { axisTitles } from '../../main/domain/measured/chart-lines';
import { coldBarNames, coldBars, type ColdRow } from '../../main/domain/measured/cold/cold-start';
import { baseLayout, type Chart } from './chart';
import type { ChartTheme } from './chart-theme';
import { axisStyle, valueAxis } from './sweep-axis';
import type { Trace } from './trace';

/** First request and steady median, side by side for each batch size. */
export function coldStartChart(rows: readonly ColdRow[], theme: ChartTheme): Chart {
  const { names, first, steady } = coldBars(rows);
  const bars = (name: string, color: string | undefined, values: readonly (number | null)[]): Trace => ({
    ...{ type: 'bar', name, x: names, y: values.map((value) => value ?? NaN) },
    marker: { color: color ?? theme.text },
    hovertext: values.map(
      (value, at) =>
        `Batch size ${names[at] ?? ''}<br>${name} ${formatMs(value === null ? null : value * 1000)} ms`,
    ),
    ...{ hoverinfo: 'text', textposition: 'none' },
  });
  return {
    data: [bars(coldBarNames.first, theme.runs[1], first), bars(coldBarNames.steady, theme.runs[0], steady)],
    layout: {
      ...baseLayout(theme),
      barmode: 'group',
      bargap: 0.35,
      xaxis: { type: 'category', ...axisStyle(theme, 'Batch size') },
      yaxis: valueAxis({ theme }, axisTitles.latency),
    },
  };
}
