import { type Column, intervalOf, numberOf } from '../../contract/measured/column';
import { fromSend, latencies, scheduled, throughput } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import { formatTyped } from '../../contract/numbers';
import { type Sweep, sweepTitle } from '../../contract/run/sweep';

/** Palette of Okabe and Ito, distinct with common color blindness (Color Universal Design, 2008). */
export const okabeIto = {
  black: '#000000',
  orange: '#e69f00',
  sky: '#56b4e9',
  green: '#009e73',
  yellow: '#f0e442',
  blue: '#0072b2',
  vermillion: '#d55e00',
  purple: '#cc79a7',
} as const;

/** On a light background: the window's light theme, and reports. */
export const lineColors = {
  throughput: okabeIto.blue,
  avg: '#55606b',
  p50: okabeIto.blue,
  p90: okabeIto.green,
  p95: okabeIto.orange,
  p99: okabeIto.vermillion,
} as const;

/** Compared runs, and GPUs, in order on a light background. */
export const orderColors = [
  okabeIto.blue,
  okabeIto.vermillion,
  okabeIto.green,
  okabeIto.purple,
  okabeIto.orange,
  okabeIto.black,
] as const;

/** Cross of a level without a result, on a light background. */
export const holeColor = '#a3487a';

/** Line of a p99 budget, and sign of throttled clocks, on a light background. */
export const budgetColor = '#c2002f';

/** The seven latency components in request order; compute infer has the strongest color. */
export const componentColors = [
  okabeIto.purple,
  okabeIto.sky,
  okabeIto.orange,
  okabeIto.yellow,
  okabeIto.blue,
  okabeIto.green,
  okabeIto.vermillion,
] as const;

/** A color of `lineColors`. */
export type ChartTone = 'throughput' | 'avg' | 'p50' | 'p90' | 'p95' | 'p99';

/** Drawn by plotly in the window and ECharts in reports, which name them differently. */
export type ChartSymbol = 'circle' | 'square' | 'diamond' | 'triangle' | 'pentagon';

export interface ChartLine {
  readonly name: string;
  readonly tone: ChartTone;
  readonly symbol: ChartSymbol;
  readonly read: (point: LoadPoint) => number | null;
  /** Half of the 95 % interval; null where unknown or hiding another line. */
  readonly interval: (point: LoadPoint) => number | null;
  /** In an open loop, latency without the wait for the send. */
  readonly fromSend: boolean;
}

const symbols: Readonly<Record<ChartTone, ChartSymbol>> = {
  throughput: 'circle',
  avg: 'pentagon',
  p50: 'circle',
  p90: 'square',
  p95: 'diamond',
  p99: 'triangle',
};

const lineOf = (column: Column, tone: ChartTone, isFromSend = false): ChartLine => ({
  name: column.title,
  tone,
  symbol: symbols[tone],
  read: numberOf(column),
  interval: isFromSend ? () => null : intervalOf(column),
  fromSend: isFromSend,
});

export const throughputLine: ChartLine = {
  ...lineOf(throughput, 'throughput'),
  name: 'Throughput',
};

const percentiles = ['p99', 'p95', 'p90', 'p50'] as const;

const ordered = (columns: readonly Column[], tones: readonly ChartTone[], isFromSend = false) =>
  tones.flatMap((tone) =>
    columns
      .filter((column) => (column.short ?? column.id) === tone)
      .map((column) => lineOf(column, tone, isFromSend)),
  );

/** In an open loop from the schedule, beside latency from the send. */
export const latencyLines = (sweep: Sweep): readonly ChartLine[] =>
  sweep === 'requestRate'
    ? [...ordered(scheduled, percentiles), ...ordered(latencies.map(fromSend), percentiles, true)]
    : ordered(latencies, [...percentiles, 'avg']);

export const axisTitles = {
  throughput: throughput.title,
  latency: 'Latency (ms)',
  meanLatency: 'Mean latency (ms)',
  /** x axis of the p99 chart. */
  rate: 'Throughput (inferences/s)',
} as const;

/** Budgets apply to latency from the schedule in an open loop. */
export const budgetAxisTitle = (sweep: Sweep): string =>
  sweep === 'requestRate' ? 'p99 from schedule (ms)' : 'p99 (ms)';

export const chartSigns = {
  front: 'Pareto front, steady levels',
  levels: (sweep: Sweep): string => `Levels, by ${sweepTitle[sweep].toLowerCase()}`,
  budget: (budgetMs: number): string => `p99 budget ${formatTyped(budgetMs)} ms`,
  target: (targetMs: number): string => `p99 target ${formatTyped(targetMs)} ms`,
  hollow: 'Hollow: not steady',
  /** Follows a level on an axis of bars, which have no symbol: see `hollow`. */
  hollowMark: '○',
  hole: 'No result',
  /** A level between two of its turns. */
  landing: 'More windows to come',
  /** Follows the name of a line or bar with its 95 % interval. */
  interval: ' ±',
  /** Of the line between the measured levels. */
  predicted: 'Predicted, not measured',
  throttled: 'Clocks throttled',
} as const;
