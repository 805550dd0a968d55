import { okabeIto } from '../../main/contract/palette';

export type Scheme = 'dark' | 'light';

export interface ChartTheme {
  readonly text: string;
  readonly dim: string;
  readonly grid: string;
  readonly line: string;
  readonly panel: string;
  /** One colour a latency series; symbols and dashes tell them apart as well. */
  readonly throughput: string;
  readonly batch: string;
  readonly avg: string;
  readonly p50: string;
  readonly p90: string;
  readonly p95: string;
  readonly p99: string;
  readonly hole: string;
  /** Runs that are compared, in their order. */
  readonly runs: readonly string[];
  /** The seven latency components in pipeline order: one family, compute infer strongest. */
  readonly components: readonly [string, string, string, string, string, string, string];
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
    runs: [
      okabeIto.sky,
      okabeIto.orange,
      okabeIto.green,
      okabeIto.purple,
      okabeIto.yellow,
      okabeIto.vermillion,
    ],
    components: ['#8d99a6', '#5c6873', '#2f6f9f', '#85c8ef', okabeIto.blue, '#b9def5', '#414b55'],
  },
  light: {
    text: '#1c2329',
    dim: '#55606b',
    grid: '#e3e7eb',
    line: '#b8c0c8',
    panel: '#ffffff',
    throughput: okabeIto.blue,
    batch: '#a3487a',
    avg: '#55606b',
    p50: okabeIto.blue,
    p90: okabeIto.green,
    p95: okabeIto.orange,
    p99: okabeIto.vermillion,
    hole: '#a3487a',
    runs: [
      okabeIto.blue,
      okabeIto.vermillion,
      okabeIto.green,
      okabeIto.purple,
      okabeIto.orange,
      okabeIto.black,
    ],
    components: ['#9aa5b1', '#c5ccd3', '#7fb2d6', '#a9d3ee', okabeIto.blue, '#cfe6f5', '#dfe4e8'],
  },
};
