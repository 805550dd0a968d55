import { useEffect, useRef, useState } from 'react';
import type { Chart } from './chart';
import type * as plotlyModule from './plotly';

type PlotlyModule = typeof plotlyModule;

/** Fetched when a chart is first shown: it is the largest part of the window's code. */
let loading: Promise<PlotlyModule> | undefined;
const loadPlotly = (): Promise<PlotlyModule> => (loading ??= import('./plotly'));

const config = { displayModeBar: false, displaylogo: false, responsive: false, scrollZoom: false } as const;

/** Draws a chart into an element and keeps it as wide as its place. `label` says in words what is to be seen. */
export function Plot({ chart, label, height }: { chart: Chart; label: string; height: number }) {
  const element = useRef<HTMLDivElement>(null);
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

  useEffect(() => {
    const place = element.current;
    if (plotly === null || place === null) return;
    void plotly.Plotly.react(place, chart.data, { ...chart.layout, height, autosize: true }, config);
  }, [plotly, chart, height]);

  useEffect(() => {
    const place = element.current;
    if (plotly === null || place === null) return;
    const observer = new ResizeObserver(() => {
      if (place.offsetWidth > 0) plotly.Plotly.Plots.resize(place);
    });
    observer.observe(place);
    return () => {
      observer.disconnect();
      plotly.Plotly.purge(place);
    };
  }, [plotly]);

  return <div ref={element} className="plot" role="img" aria-label={label} style={{ height }} />;
}
