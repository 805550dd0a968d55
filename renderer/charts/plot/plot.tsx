import { useEffect, useMemo, useRef, useState } from 'react';
import type { Chart } from '../chart';
import type { Trace } from '../trace';
import { maxDrawnPoints } from './decimate';
import { drawTrace } from './draw-trace';
import { HoverCard, type Hovered } from './hover-card';
import { drawTails, removeTails } from './live-tail';
import { loadPlotly, type PlotlyModule } from './load-plotly';
import { cursorOf, hoveredOf, type PlotlyElement } from './plotly-element';
import { type CursorListener, rangeAfter, type SharedCursor, type VisibleRange } from './shared-cursor';
import { shownTraces } from './shown-traces';

const config = {
  displayModeBar: false,
  displaylogo: false,
  responsive: false,
  scrollZoom: false,
  doubleClick: 'reset+autosize',
} as const;

/** A chart that grows is drawn whole this often; between, only the ends of its lines are. */
const wholeEveryMs = 3000;

/** What was drawn whole last. */
interface DrawnWhole {
  readonly base: string | null;
  readonly count: number;
  readonly range: VisibleRange;
  readonly height: number;
  readonly only: string | null;
  readonly atMs: number;
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

/**
 * Draws a chart into an element and keeps it as wide as its place; long traces are decimated to what can be seen. Drawn
 * once a frame at most, whatever comes meanwhile. `label` says in words what is to be seen.
 */
export function Plot(props: {
  chart: Chart;
  label: string;
  height: number;
  /** The series that is shown alone; null for all. */
  only: string | null;
  cursor?: SharedCursor;
}) {
  const { chart: given, label, height, only, cursor } = props;
  const chart = useMemo((): Chart => {
    const data = shownTraces(given.data, only);
    return { ...given, data, layout: given.layoutOf?.(data) ?? given.layout };
  }, [given, only]);
  const element = useRef<HTMLDivElement>(null);
  const [plotly, setPlotly] = useState<PlotlyModule | null>(null);
  const asked = chart.layout['uirevision'];
  const revision = typeof asked === 'string' ? asked : 'kept';
  const [zoom, setZoom] = useState<{ readonly revision: string; readonly range: VisibleRange }>({
    revision,
    range: null,
  });
  // Another window or model begins whole.
  const range = zoom.revision === revision ? zoom.range : null;
  const present = useRef(revision);
  const heard = useRef(false);
  const whole = useRef<DrawnWhole | null>(null);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const listener = useRef<CursorListener | null>(null);
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
      const data = chart.data.map((trace) => drawn(trace, chart.layout, range, limitFor(place)));
      // The same revision keeps a zoom while points land. The legend is outside: plotly's own takes the room of the plot.
      const layout = {
        uirevision: 'kept',
        ...zoomed(chart.layout, range),
        showlegend: false,
        height,
        autosize: true,
      };
      const { base = null, count = 0 } = chart.grows ?? {};
      whole.current = { base, count, range, height, only, atMs: performance.now() };
      void plotly.Plotly.react(place, data, layout, config).then(() => {
        if (heard.current || place.on === undefined) return;
        heard.current = true;
        place.on('plotly_relayout', (change) => {
          const next = rangeAfter(change);
          if (next === undefined) return;
          setZoom({ revision: present.current, range: next });
          if (cursor !== undefined && listener.current !== null) cursor.zoom(listener.current, next);
        });
        place.on('plotly_doubleclick', () => {
          setZoom({ revision: present.current, range: null });
          if (cursor !== undefined && listener.current !== null) cursor.zoom(listener.current, null);
        });
        place.on('plotly_hover', (event) => {
          setHovered(hoveredOf(place, event));
          if (cursor !== undefined && listener.current !== null) {
            cursor.point(listener.current, cursorOf(event));
          }
        });
        place.on('plotly_unhover', () => {
          setHovered(null);
          if (cursor !== undefined && listener.current !== null) cursor.point(listener.current, null);
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
        last.only === only &&
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
  }, [plotly, chart, height, range, revision, inView, only, cursor]);

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

  useEffect(() => {
    const place: PlotlyElement | null = element.current;
    if (plotly === null || place === null || cursor === undefined) return;
    const own: CursorListener = {
      onPoint(x) {
        if (place._fullLayout === undefined) return;
        if (x === null) plotly.Plotly.Fx.unhover(place);
        else plotly.Plotly.Fx.hover(place, { xval: x }, 'xy', true);
      },
      onZoom(next) {
        setZoom({ revision: present.current, range: next });
      },
    };
    listener.current = own;
    return cursor.join(own);
  }, [plotly, cursor]);

  useEffect(() => {
    if (hovered === null) return;
    // The card stays where it is in the window while the plot moves below it.
    const hide = (): void => {
      setHovered(null);
    };
    window.addEventListener('scroll', hide, { capture: true, once: true });
    return () => {
      window.removeEventListener('scroll', hide, { capture: true });
    };
  }, [hovered]);

  const live = chart.data.at(-1)?.name === 'Measuring';
  return (
    <>
      <div ref={element} className="plot" data-live={live} role="img" aria-label={label} style={{ height }} />
      {hovered === null ? null : <HoverCard hovered={hovered} />}
    </>
  );
}
