import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Chart } from '../chart';
import { HoverCard, type Hovered } from './hover-card';
import { loadPlotly, type PlotlyModule } from './load-plotly';
import type { PlotlyElement } from './plotly-element';
import type { CursorListener, SharedCursor, VisibleRange } from './shared-cursor';
import { shownTraces } from './shown-traces';
import { type PlotListener, useDrawing } from './use-drawing';

function usePlotly(): PlotlyModule | null {
  const [plotly, setPlotly] = useState<PlotlyModule | null>(null);
  useEffect(() => {
    let wanted = true;
    void loadPlotly().then((module) => {
      if (wanted) setPlotly(module);
    });
    return () => {
      wanted = false;
    };
  }, []);
  return plotly;
}

/** Only plots in view are drawn. */
function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [inView, setInView] = useState(false);
  useEffect(() => {
    const place = element.current;
    if (place === null) return;
    const observer = new IntersectionObserver(
      (entries) => setInView(entries.at(-1)?.isIntersecting ?? true),
      { rootMargin: '120px' },
    );
    observer.observe(place);
    return () => observer.disconnect();
  }, [element]);
  return inView;
}

function useZoom(revision: string) {
  const [zoom, setZoom] = useState<{ readonly revision: string; readonly range: VisibleRange }>({
    revision,
    range: null,
  });
  const present = useRef(revision);
  useEffect(() => {
    present.current = revision;
  }, [revision]);
  const zoomTo = useCallback(
    (range: VisibleRange): void => setZoom({ revision: present.current, range }),
    [],
  );
  return [zoom.revision === revision ? zoom.range : null, zoomTo] as const;
}

function useSharedCursor(
  element: RefObject<HTMLElement | null>,
  plotly: PlotlyModule | null,
  cursor: SharedCursor | undefined,
  onZoom: (range: VisibleRange) => void,
) {
  const shared = useRef<{
    readonly zoom: (range: VisibleRange) => void;
    readonly point: (x: number | null) => void;
  } | null>(null);
  useEffect(() => {
    const place: PlotlyElement | null = element.current;
    if (plotly === null || place === null || cursor === undefined) return;
    const own: CursorListener = {
      onPoint(x) {
        if (place.layout === undefined) return;
        if (x === null) plotly.Plotly.Fx.unhover(place);
        else plotly.Plotly.Fx.hover(place, { xval: x }, 'xy', true);
      },
      onZoom,
    };
    shared.current = { zoom: (range) => cursor.zoom(own, range), point: (x) => cursor.point(own, x) };
    return cursor.join(own);
  }, [element, plotly, cursor, onZoom]);
  return shared;
}

/** The point under the pointer; its card stays where it is in the window while the plot moves below it. */
function useHovered() {
  const [hovered, setHovered] = useState<Hovered | null>(null);
  useEffect(() => {
    if (hovered === null) return;
    const hide = (): void => setHovered(null);
    window.addEventListener('scroll', hide, { capture: true, once: true });
    return () => window.removeEventListener('scroll', hide, { capture: true });
  }, [hovered]);
  return [hovered, setHovered] as const;
}

/**
 * Draws a chart into an element; long traces are decimated to what can be seen. `label` says in words what is to be seen.
 */
export function Plot(props: {
  chart: Chart;
  label: string;
  height: number;
  /** null: all are shown. */
  only: string | null;
  cursor?: SharedCursor;
}) {
  const { chart: given, label, height, only, cursor } = props;
  const chart = useMemo((): Chart => {
    const data = shownTraces(given.data, only);
    return { ...given, data, layout: given.layoutOf?.(data) ?? given.layout };
  }, [given, only]);
  const element = useRef<HTMLDivElement>(null);
  const plotly = usePlotly();
  const inView = useInView(element);
  const asked = chart.layout['uirevision'];
  const [range, zoomTo] = useZoom(typeof asked === 'string' ? asked : 'kept');
  const shared = useSharedCursor(element, plotly, cursor, zoomTo);
  const [hovered, setHovered] = useHovered();
  const listener = useMemo(
    (): PlotListener => ({
      onRange: (next) => {
        zoomTo(next);
        shared.current?.zoom(next);
      },
      onHover: (point, x) => {
        setHovered(point);
        shared.current?.point(x);
      },
    }),
    [zoomTo, shared, setHovered],
  );
  useDrawing(element, plotly, inView, chart, { range, height, only }, listener);
  const live = chart.data.at(-1)?.name === 'Measuring';
  return (
    <>
      <div ref={element} className="plot" data-live={live} role="img" aria-label={label} style={{ height }} />
      {hovered === null ? null : <HoverCard hovered={hovered} />}
    </>
  );
}
