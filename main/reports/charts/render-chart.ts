import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import { BarChart, LineChart } from 'echarts/charts';
import type { GridComponentOption, LegendComponentOption, TitleComponentOption } from 'echarts/components';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import type { ComposeOption } from 'echarts/core';
import { init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { textWidth } from './text-width';

export type ChartOption = ComposeOption<
  LineSeriesOption | BarSeriesOption | GridComponentOption | LegendComponentOption | TitleComponentOption
>;

export interface Chart {
  /** Unique in a report: prefix of every id inside. */
  readonly id: string;
  /** Read out by screen readers. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly option: ChartOption;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * The chart as one still SVG element without script or style sheet. The renderer numbers its ids across the whole
 * process; they are renamed by the chart's own id, so that equal input gives equal text and ids do not meet on a page.
 */
export function renderChart(chart: Chart): string {
  // Without a screen the renderer guesses by a narrow font, and the entries of a legend run into one another.
  setPlatformAPI({ measureText: (text, font = '') => ({ width: textWidth(text, font) }) });
  use([LineChart, BarChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);
  const instance = init(null, null, { renderer: 'svg', ssr: true, width: chart.width, height: chart.height });
  try {
    instance.setOption({ animation: false, ...chart.option });
    const body = instance
      .renderToSVGString()
      .replace(/^\s*<svg[^>]*>/, '')
      .replace(/<style[\s\S]*?<\/style>/g, '')
      .replace(/ (?:class|ecmeta_\w+|pointer-events)="[^"]*"/g, '')
      .replace(/\bzr\d+-/g, `${chart.id}-`);
    const label = `${chart.id}-title`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${chart.width} ${chart.height}" role="img" ` +
      `aria-labelledby="${label}"><title id="${label}">${escapeXml(chart.title)}</title>${body}`
    );
  } finally {
    instance.dispose();
  }
}
