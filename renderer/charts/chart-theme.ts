import {
  budgetColor,
  componentColors,
  holeColor,
  lineColors,
  okabeIto,
  orderColors,
} from '../../main/domain/measured/chart-lines';

type Scheme = 'dark' | 'light';

export interface ChartTheme {
  readonly text: string;
  readonly dim: string;
  readonly grid: string;
  readonly line: string;
  readonly panel: string;
  /** One color per latency series; symbols and dashes distinguish them too. */
  readonly throughput: string;
  readonly batch: string;
  readonly avg: string;
  readonly p50: string;
  readonly p90: string;
  readonly p95: string;
  readonly p99: string;
  readonly hole: string;
  readonly budget: string;
  readonly overBudget: string;
  readonly runs: readonly string[];
  /** The seven latency components in pipeline order, as the report has them. */
  readonly components: typeof componentColors;
}

export const chartThemes: Readonly<Record<Scheme, ChartTheme>> = {
  dark: {
    text: '#e4e8ec',
    dim: '#a3adb8',
    grid: '#2b3138',
    line: '#4a535d',
    panel: '#1d2126',
    throughput: okabeIto.sky,
    batch: okabeIto.purple,
    avg: '#c3cbd4',
    p50: okabeIto.sky,
    p90: okabeIto.green,
    p95: okabeIto.orange,
    p99: okabeIto.vermillion,
    hole: okabeIto.purple,
    budget: '#ff5470',
    overBudget: 'rgba(255, 84, 112, 0.08)',
    runs: [
      okabeIto.sky,
      okabeIto.orange,
      okabeIto.green,
      okabeIto.purple,
      okabeIto.yellow,
      okabeIto.vermillion,
    ],
    components: componentColors,
  },
  light: {
    text: '#1c2329',
    dim: '#55606b',
    grid: '#e3e7eb',
    line: '#b8c0c8',
    panel: '#ffffff',
    ...lineColors,
    batch: '#a3487a',
    hole: holeColor,
    budget: budgetColor,
    overBudget: 'rgba(194, 0, 47, 0.05)',
    runs: orderColors,
    components: componentColors,
  },
};
