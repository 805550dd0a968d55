import type { Slice } from '../../../contract/measured/timeline';
import { type ChartSymbol, okabeIto } from '../chart-lines';

/** A line over time, which window and report draw alike. */
export interface TimelineLine {
  readonly name: string;
  /** Place in the palette of compared runs. */
  readonly order: number;
  /** On a light background. */
  readonly color: string;
  readonly symbol: ChartSymbol;
  readonly dashed?: boolean;
  readonly read: (slice: Slice) => number | null;
}

const perSecond = (amount: number, { durationUs }: Slice): number => (1e6 * amount) / durationUs;
const inMs = (us: number | null): number | null => (us === null ? null : us / 1000);

export const timelineTitles = {
  requests: 'Requests over time',
  latency: 'Latency over time',
  requestAxis: 'Requests/s',
  latencyAxis: 'Latency from schedule, ms',
  time: 'Time, s',
} as const;

export const requestLines: readonly TimelineLine[] = [
  {
    ...{ name: 'Due', order: 5, color: okabeIto.black, symbol: 'diamond', dashed: true },
    read: (slice) => perSecond(slice.due, slice),
  },
  {
    ...{ name: 'Answered', order: 0, color: okabeIto.blue, symbol: 'circle' },
    read: (slice) => perSecond(slice.answered, slice),
  },
  {
    ...{ name: 'Refused', order: 1, color: okabeIto.vermillion, symbol: 'triangle' },
    read: (slice) => perSecond(slice.refused, slice),
  },
  {
    ...{ name: 'Failed', order: 3, color: okabeIto.purple, symbol: 'square' },
    read: (slice) => perSecond(slice.errors, slice),
  },
];

export const sliceLatencyLines: readonly TimelineLine[] = [
  {
    ...{ name: 'p99', order: 1, color: okabeIto.vermillion, symbol: 'triangle', dashed: true },
    read: ({ p99Us }) => inMs(p99Us),
  },
  {
    ...{ name: 'p50', order: 0, color: okabeIto.blue, symbol: 'circle' },
    read: ({ p50Us }) => inMs(p50Us),
  },
];

/** The middle of a slice, seconds. */
export const timeOf = ({ startUs, durationUs }: Slice): number => (startUs + durationUs / 2) / 1e6;

/** A line without any value, as of failed requests where none failed, is not drawn. */
export const drawnLines = (
  lines: readonly TimelineLine[],
  slices: readonly Slice[],
): readonly TimelineLine[] => lines.filter(({ read }) => slices.some((slice) => (read(slice) ?? 0) > 0));
