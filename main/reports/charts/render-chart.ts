import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  LegendComponent,
  type LegendComponentOption,
  TitleComponent,
  type TitleComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

/** Widths of the widest of the report's fonts (DejaVu Sans), in parts of the font size; what is not here is a letter or digit. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;|'!]/, 0.34],
  [/[frt ()/-]/, 0.41],
  [/[mw%@—]/, 0.95],
  [/[MW]/, 0.99],
  [/[+=<>±×]/, 0.84],
  [/[A-Z]/, 0.7],
  // As wide as high; by one of them the renderer takes the height of a line.
  [/[\u2E80-\uFFEF]/, 1],
];
const letter = 0.63;
const boldFactor = 1.12;
const defaultPx = 12;

/** How wide a text is at most, in pixels; `font` as CSS writes it ("bold 9px sans-serif"). */
function textWidth(text: string, font: string): number {
  const px = Number(/([\d.]+)px/.exec(font)?.[1] ?? defaultPx);
  const parts = Array.from(text, (character) => widths.find(([of]) => of.test(character))?.[1] ?? letter);
  return px * (/bold/.test(font) ? boldFactor : 1) * parts.reduce((sum, part) => sum + part, 0);
}

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
