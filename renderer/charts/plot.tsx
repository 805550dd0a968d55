import { useEffect, useRef, useState } from 'react';
import type { Chart } from './chart';
import { maxDrawnPoints } from './decimate';
import { drawTrace } from './draw-trace';
import type { DrawnPlot } from './live-tail';
import { drawTails, removeTails } from './live-tail';
import type { PlotlyModule } from './load-plotly';
import { loadPlotly } from './load-plotly';
import type { VisibleRange } from './visible-range';
import { rangeAfter } from './visible-range';

const config = {
  displayModeBar: false,
  displaylogo: false,
  responsive: false,
  scrollZoom: false,
  doubleClick: 'reset+autosize',
} as const;

/** Plotly adds `on` to the element that it draws into. */
interface PlotlyElement extends HTMLElement {
  readonly _fullLayout?: NonNullable<DrawnPlot['_fullLayout']>;
  on?: (event: string, listener: (change: Record<string, unknown>) => void) => void;
}

/** A chart that grows is drawn whole this often; between, only the ends of its lines are. */
const wholeEveryMs = 3000;

/** What was drawn whole last. */
interface DrawnWhole {
  readonly base: string | null;
  readonly count: number;
  readonly range: VisibleRange;
  readonly height: number;
  readonly atMs: number;
}

/** A window that moves on says its ends at each step: a zoom stands against that. */
function zoomed(layout: Chart['layout'], range: VisibleRange): Chart['layout'] {
  return range === null || layout.xaxis.type !== 'date'
    ? layout
    : { ...layout, xaxis: { ...layout.xaxis, range: [...range], autorange: false } };
}

/** More points than two a pixel column cannot be told apart. */
const limitFor = (place: HTMLElement): number =>
  Math.min(maxDrawnPoints, Math.max(400, 2 * place.offsetWidth));

/**
 * Draws a chart into an element and keeps it as wide as its place; long traces are decimated to what can be seen. Drawn
 * once a frame at most, whatever comes meanwhile. `label` says in words what is to be seen.
 */
export function Plot({ chart, label, height }: { chart: Chart; label: string; height: number }) {
  const element = useRef<HTMLDivElement>(null);
  const [plotly, setPlotly] = useState<PlotlyModule | null>(null);
  const given = chart.layout['uirevision'];
  const revision = typeof given === 'string' ? given : 'kept';
  const [zoom, setZoom] = useState<{ readonly revision: string; readonly range: VisibleRange }>({
    revision,
    range: null,
  });
  // Another window or model begins whole.
  const range = zoom.revision === revision ? zoom.range : null;
  const present = useRef(revision);
  const heard = useRef(false);
  const whole = useRef<DrawnWhole | null>(null);
  // What nobody sees is not drawn; it is when it comes into view.
  const [inView, setInView] = useState(false);

  useEffect(() => {
    const place = element.current;
    if (place === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        setInView(entries.at(-1)?.isIntersecting ?? true);
      },
      { rootMargin: '120px' },
    );
    observer.observe(place);
    return () => {
      observer.disconnect();
    };
  }, []);

  useEffect(() => {
    let wanted = true;
    void loadPlotly().then((module) => {
      if (wanted) setPlotly(module);
    });
    return () => {
      wanted = false;
    };
  }, []);

  useEffect(() => {
    const place: PlotlyElement | null = element.current;
    present.current = revision;
    if (plotly === null || place === null || !inView) return;
    const drawWhole = (): void => {
      removeTails(place);
      const data = chart.data.map((trace) => drawTrace(trace, range, limitFor(place)));
      // The same revision keeps zoom and hidden series while points land.
      const layout = { uirevision: 'kept', ...zoomed(chart.layout, range), height, autosize: true };
      const { base = null, count = 0 } = chart.grows ?? {};
      whole.current = { base, count, range, height, atMs: performance.now() };
      void plotly.Plotly.react(place, data, layout, config).then(() => {
        if (heard.current || place.on === undefined) return;
        heard.current = true;
        place.on('plotly_relayout', (change) => {
          const next = rangeAfter(change);
          if (next !== undefined) setZoom({ revision: present.current, range: next });
        });
        place.on('plotly_doubleclick', () => {
          setZoom({ revision: present.current, range: null });
        });
      });
    };
    const everyMs = chart.grows?.wholeEveryMs ?? wholeEveryMs;
    const grown = (): boolean => {
      const last = whole.current;
      return (
        chart.grows !== undefined &&
        last !== null &&
        last.base === chart.grows.base &&
        last.range === range &&
        last.height === height &&
        performance.now() - last.atMs < everyMs &&
        drawTails(place, chart, last.count)
      );
    };
    let rest: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      if (grown()) rest = setTimeout(drawWhole, everyMs);
      else drawWhole();
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(rest);
    };
  }, [plotly, chart, height, range, revision, inView]);

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
      heard.current = false;
      whole.current = null;
      plotly.Plotly.purge(place);
    };
  }, [plotly]);

  const live = chart.data.at(-1)?.name === 'Measuring';
  return (
    <div ref={element} className="plot" data-live={live} role="img" aria-label={label} style={{ height }} />
  );
}
