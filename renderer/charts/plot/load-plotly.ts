import type * as plotlyModule from './plotly';

export type PlotlyModule = typeof plotlyModule;

/** Fetched when a chart is first shown: it is the largest part of the window's code. */
let loading: Promise<PlotlyModule> | undefined;
export const loadPlotly = (): Promise<PlotlyModule> => (loading ??= import('./plotly'));
