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
import { hatchedAsLines } from './hatch';

/** Glyph widths of DejaVu Sans, the widest font, per font size; the rest are letters and digits. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;|'!]/, 0.34],
  [/[frt ()/-]/, 0.41],
  [/[mw%@—]/, 0.95],
  [/[MW]/, 0.99],
  [/[+=<>±×]/, 0.84],
  [/[A-Z]/, 0.7],
  // The renderer measures line height by a full-width glyph.
  [/[\u2E80-\uFFEF]/, 1],
];
const letter = 0.63;
const boldFactor = 1.12;
const defaultPx = 12;

/** Upper bound in pixels; `font` is a CSS shorthand ("bold 9px sans-serif"). */
function textWidth(text: string, font: string): number {
  const px = Number(/([\d.]+)px/.exec(font)?.[1] ?? defaultPx);
  const parts = Array.from(text, (character) => widths.find(([of]) => of.test(character))?.[1] ?? letter);
  return px * (/bold/.test(font) ? boldFactor : 1) * parts.reduce((sum, part) => sum + part, 0);
}

export type ChartOption = ComposeOption<
  LineSeriesOption | BarSeriesOption | GridComponentOption | LegendComponentOption | TitleComponentOption
>;

export interface Chart {
  /** Prefix of all ids; unique in a report. */
  readonly id: string;
  /** For screen readers. */
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly option: ChartOption;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Static SVG without scripts and styles. The renderer's process-wide ids are replaced, to be reproducible and unique. */
export function renderChart(chart: Chart): string {
  // Without a DOM the renderer assumes a narrow font, and legend entries overlap.
  setPlatformAPI({ measureText: (text, font = '') => ({ width: textWidth(text, font) }) });
  use([LineChart, BarChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);
  const instance = init(null, null, { renderer: 'svg', ssr: true, width: chart.width, height: chart.height });
  try {
    instance.setOption({ animation: false, ...chart.option });
    const body = hatchedAsLines(instance.renderToSVGString())
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
