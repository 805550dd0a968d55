import { type Column, intervalOf, numberOf } from '../../contract/measured/column';
import { fromSend, latencies, scheduled, throughput } from '../../contract/measured/columns';
import type { LoadPoint } from '../../contract/measured/results';
import { formatTyped } from '../../contract/numbers';
import { type Sweep, sweepTitle } from '../../contract/run/sweep';

/** Okabe and Ito's colours, told apart with every common colour blindness (Color Universal Design, 2008). */
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

/** Lines through the levels on a light ground: the window's light theme, and reports. */
export const lineColors = {
  throughput: okabeIto.blue,
  avg: '#55606b',
  p50: okabeIto.blue,
  p90: okabeIto.green,
  p95: okabeIto.orange,
  p99: okabeIto.vermillion,
} as const;

/** Runs that are compared, and GPUs, in their order on a light ground. */
export const orderColors = [
  okabeIto.blue,
  okabeIto.vermillion,
  okabeIto.green,
  okabeIto.purple,
  okabeIto.orange,
  okabeIto.black,
] as const;

/** The cross of a level without a result on a light ground. */
export const holeColor = '#a3487a';

/** The line of a p99 budget, and the sign of throttled clocks, on a light ground. */
export const budgetColor = '#c2002f';

/**
 * The seven latency components in the order in which a request passes them, the same in window and report; compute infer
 * has the strongest colour.
 */
export const componentColors = [
  okabeIto.purple,
  okabeIto.sky,
  okabeIto.orange,
  okabeIto.yellow,
  okabeIto.blue,
  okabeIto.green,
  okabeIto.vermillion,
] as const;

/** What a line is drawn with: a color of `lineColors`. */
export type ChartTone = 'throughput' | 'avg' | 'p50' | 'p90' | 'p95' | 'p99';

/** Drawn by plotly in the window and by ECharts in reports, each with a name of its own for it. */
export type ChartSymbol = 'circle' | 'square' | 'diamond' | 'triangle' | 'pentagon';

/** A line through the levels of a scenario, the same in window and report. */
export interface ChartLine {
  readonly name: string;
  readonly tone: ChartTone;
  readonly symbol: ChartSymbol;
  readonly read: (point: LoadPoint) => number | null;
  /** Half of the 95 % interval; null where it is unknown or would hide another line. */
  readonly interval: (point: LoadPoint) => number | null;
  /** Of an open loop: without the wait for the send. */
  readonly fromSend: boolean;
}

const symbols: Readonly<Record<ChartTone, ChartSymbol>> = {
  throughput: 'circle',
  avg: 'pentagon',
  ...{ p50: 'circle', p90: 'square', p95: 'diamond', p99: 'triangle' },
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

/** Those columns of a list, in the order in which their lines lie above one another. */
const ordered = (columns: readonly Column[], tones: readonly ChartTone[], isFromSend = false) =>
  tones.flatMap((tone) =>
    columns
      .filter((column) => (column.short ?? column.id) === tone)
      .map((column) => lineOf(column, tone, isFromSend)),
  );

/** Of an open loop from the schedule, and beside it what the requests took from the send. */
export const latencyLines = (sweep: Sweep): readonly ChartLine[] =>
  sweep === 'requestRate'
    ? [...ordered(scheduled, percentiles), ...ordered(latencies.map(fromSend), percentiles, true)]
    : ordered(latencies, [...percentiles, 'avg']);

/** Names of the value axes, with their units. */
export const axisTitles = {
  throughput: throughput.title,
  latency: 'Latency, ms',
  meanLatency: 'Mean latency, ms',
  /** Over which p99 is drawn. */
  rate: 'Throughput, inferences/s',
} as const;

/** The latency that a budget holds: of an open loop from the schedule. */
export const budgetAxisTitle = (sweep: Sweep): string =>
  sweep === 'requestRate' ? 'p99 from schedule, ms' : 'p99, ms';

/** Names of what is drawn beside the lines. */
export const chartSigns = {
  front: 'Pareto front, steady levels',
  levels: (sweep: Sweep): string => `Levels, by ${sweepTitle[sweep].toLowerCase()}`,
  budget: (budgetMs: number): string => `p99 budget ${formatTyped(budgetMs)} ms`,
  hollow: 'Hollow: not steady',
  /** Behind a level on an axis of bars, which have no symbol: see `hollow`. */
  hollowMark: '○',
  hole: 'No result',
  /** Behind the name of a line; of bars from end to end of its 95 % intervals. */
  interval: ' ±',
  throttled: 'Clocks throttled',
} as const;
