import { type RefObject, useEffect, useRef } from 'react';
import type { Chart } from '../chart';
import type { Trace } from '../trace';
import { maxDrawnPoints } from './decimate';
import { drawTrace } from './draw-trace';
import type { Hovered } from './hover-card';
import { drawTails, removeTails } from './live-tail';
import type { PlotlyModule } from './load-plotly';
import { cursorOf, hoveredOf, type PlotlyElement } from './plotly-element';
import { rangeAfter, type VisibleRange } from './shared-cursor';

const config = {
  displayModeBar: false,
  displaylogo: false,
  responsive: false,
  scrollZoom: false,
  doubleClick: 'reset+autosize',
} as const;

/** A chart that grows is drawn whole this often; between, only the ends of its lines are. */
const wholeEveryMs = 3000;

interface View {
  readonly range: VisibleRange;
  readonly height: number;
  /** null: all are shown. */
  readonly only: string | null;
}

interface DrawnWhole extends View {
  readonly base: string | null;
  readonly count: number;
  readonly atMs: number;
}

export interface PlotListener {
  readonly onRange: (range: VisibleRange) => void;
  /** The point under the pointer, and where that is on the x axis; null where there is none. */
  readonly onHover: (hovered: Hovered | null, x: number | null) => void;
}

/** A window that moves on says its ends at each step: a zoom stands against that. */
function zoomed(layout: Chart['layout'], range: VisibleRange): Chart['layout'] {
  return range === null || layout.xaxis.type !== 'date'
    ? layout
    : { ...layout, xaxis: { ...layout.xaxis, range: [...range], autorange: false } };
}

/** Texts of points are shown beside the plot; of a cursor over all lines plotly shows the values itself. */
function drawn(trace: Trace, layout: Chart['layout'], range: VisibleRange, limit: number): object {
  const figure = drawTrace(trace, range, limit);
  return layout['hovermode'] !== 'closest' || trace.hoverinfo === 'skip' || trace.hovertemplate !== undefined
    ? figure
    : { ...figure, hoverinfo: 'none' };
}

/** More points than two a pixel column cannot be told apart. */
const limitFor = (place: HTMLElement): number =>
  Math.min(maxDrawnPoints, Math.max(400, 2 * place.offsetWidth));

async function drawWhole(
  place: PlotlyElement,
  { Plotly }: PlotlyModule,
  chart: Chart,
  { range, height }: View,
): Promise<void> {
  removeTails(place);
  const data = chart.data.map((trace) => drawn(trace, chart.layout, range, limitFor(place)));
  // The same revision keeps a zoom while points land. The legend is outside: plotly's own takes the room of the plot.
  const layout = {
    uirevision: 'kept',
    ...zoomed(chart.layout, range),
    showlegend: false,
    height,
    autosize: true,
  };
  await Plotly.react(place, data, layout, config);
}

function onlyGrows(last: DrawnWhole | null, { grows }: Chart, view: View, everyMs: number): boolean {
  return (
    grows !== undefined &&
    last !== null &&
    last.base === grows.base &&
    last.range === view.range &&
    last.height === view.height &&
    last.only === view.only &&
    performance.now() - last.atMs < everyMs
  );
}

/** False while plotly has not initialized the element. */
function listen(place: PlotlyElement, { onRange, onHover }: PlotListener): boolean {
  if (place.on === undefined) return false;
  place.on('plotly_relayout', (change) => {
    const range = rangeAfter(change);
    if (range !== undefined) onRange(range);
  });
  place.on('plotly_doubleclick', () => onRange(null));
  place.on('plotly_hover', (event) => onHover(hoveredOf(place, event), cursorOf(event)));
  place.on('plotly_unhover', () => onHover(null, null));
  return true;
}

/** Draws the chart into the element once a frame at most, whatever comes meanwhile, and keeps it as wide as its place. */
export function useDrawing(
  element: RefObject<HTMLElement | null>,
  plotly: PlotlyModule | null,
  inView: boolean,
  chart: Chart,
  { range, height, only }: View,
  listener: PlotListener,
): void {
  const listening = useRef(false);
  const whole = useRef<DrawnWhole | null>(null);

  useEffect(() => {
    const place: PlotlyElement | null = element.current;
    if (plotly === null || place === null || !inView) return;
    const view = { range, height, only };
    const draw = (): void => {
      const { base = null, count = 0 } = chart.grows ?? {};
      whole.current = { ...view, base, count, atMs: performance.now() };
      void drawWhole(place, plotly, chart, view).then(() => {
        listening.current ||= listen(place, listener);
      });
    };
    const everyMs = chart.grows?.wholeEveryMs ?? wholeEveryMs;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      const last = whole.current;
      if (onlyGrows(last, chart, view, everyMs) && drawTails(place, chart, last?.count ?? 0)) {
        rest = setTimeout(draw, everyMs);
      } else draw();
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(rest);
    };
  }, [element, plotly, inView, chart, range, height, only, listener]);

  useEffect(() => {
    const place = element.current;
    if (plotly === null || place === null) return;
    const observer = new ResizeObserver(() => {
      if (place.offsetWidth > 0 && place.classList.contains('js-plotly-plot')) {
        plotly.Plotly.Plots.resize(place);
      }
    });
    observer.observe(place);
    return () => {
      observer.disconnect();
      listening.current = false;
      whole.current = null;
      plotly.Plotly.purge(place);
    };
  }, [element, plotly]);
}
