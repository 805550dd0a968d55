import { vi } from 'vitest';

// Plotly cannot draw in jsdom, and would still be loading when a short test has ended.
vi.mock('../../../renderer/charts/plot/load-plotly', () => ({
  loadPlotly: () => new Promise(() => undefined),
}));
