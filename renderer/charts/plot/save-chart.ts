import type { Chart } from '../chart';
import { hollowLegend } from '../legend-entries';
import { chartCsv } from './chart-csv';
import { drawTrace } from './draw-trace';
import { loadPlotly } from './load-plotly';
import { shownTraces } from './shown-traces';

export const chartFormats = ['svg', 'png', 'csv'] as const;
type ChartFormat = (typeof chartFormats)[number];

/** Pixels of a saved picture; png has twice as many, for print. */
const size = { width: 960, height: 540 } as const;

function download(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has begun with the click; the address is needed a little longer.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function picture(chart: Chart, format: 'svg' | 'png', background: string): Promise<Blob> {
  const { Plotly } = await loadPlotly();
  const title = chart.title === undefined ? {} : { title: { text: chart.title, font: { size: 14 } } };
  const layout = { ...chart.layout, ...title, paper_bgcolor: background, plot_bgcolor: background };
  const drawn = [...shownTraces(chart.data, null), ...hollowLegend(chart)];
  const url = await Plotly.toImage(
    { data: drawn.map((trace) => drawTrace(trace, null)), layout: { ...layout, margin: undefined } },
    { format, ...size, scale: format === 'png' ? 2 : 1 },
  );
  const [, encoded = ''] = /^data:[^,]*,([^]*)$/.exec(url) ?? [];
  if (format === 'svg') return new Blob([decodeURIComponent(encoded)], { type: 'image/svg+xml' });
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: 'image/png' });
}

/** Puts the picture into the clipboard, as PNG. Throws where the clipboard takes none. */
export async function copyChart(chart: Chart, background: string): Promise<void> {
  await navigator.clipboard.write([
    new ClipboardItem({ 'image/png': await picture(chart, 'png', background) }),
  ]);
}

export async function saveChart(options: {
  readonly chart: Chart;
  readonly format: ChartFormat;
  readonly fileName: string;
  readonly background: string;
}): Promise<void> {
  const { chart, format, fileName, background } = options;
  const content =
    format === 'csv'
      ? new Blob([chartCsv(chart)], { type: 'text/csv' })
      : await picture(chart, format, background);
  download(`${fileName}.${format}`, content);
}
