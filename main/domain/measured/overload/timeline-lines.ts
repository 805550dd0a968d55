import type { Slice } from '../../../contract/measured/timeline';
import type { TimeLine } from '../time-lines';

interface TimelineLine extends Omit<TimeLine, 'points'> {
  readonly read: (slice: Slice) => number | null;
}

const perSecond = (amount: number, { durationUs }: Slice): number => (1e6 * amount) / durationUs;
const inMs = (us: number | null): number | null => (us === null ? null : us / 1000);

export const timelineTitles = {
  requests: 'Requests over time',
  latency: 'Latency over time',
  requestAxis: 'Requests/s',
  latencyAxis: 'Latency from schedule (ms)',
  time: 'Time (s)',
} as const;

const requestLines: readonly TimelineLine[] = [
  {
    ...{ name: 'Due', order: 5, symbol: 'diamond', dashed: true },
    read: (slice) => perSecond(slice.due, slice),
  },
  {
    ...{ name: 'Answered', order: 0, symbol: 'circle' },
    read: (slice) => perSecond(slice.answered, slice),
  },
  {
    ...{ name: 'Refused', order: 1, symbol: 'triangle' },
    read: (slice) => perSecond(slice.refused, slice),
  },
  {
    ...{ name: 'Failed', order: 3, symbol: 'square' },
    read: (slice) => perSecond(slice.errors, slice),
  },
];

const latencyLines: readonly TimelineLine[] = [
  {
    ...{ name: 'p99', order: 1, symbol: 'triangle', dashed: true },
    read: ({ p99Us }) => inMs(p99Us),
  },
  {
    ...{ name: 'p50', order: 0, symbol: 'circle' },
    read: ({ p50Us }) => inMs(p50Us),
  },
];

/** The middle of a slice, seconds. */
const timeOf = ({ startUs, durationUs }: Slice): number => (startUs + durationUs / 2) / 1e6;

/** Where the last slice ends, seconds. */
export function endOf(slices: readonly Slice[]): number {
  const last = slices.at(-1);
  return last === undefined ? 1 : (last.startUs + last.durationUs) / 1e6;
}

/** Requests, or latencies, over the seconds of one level. A line without any value, as of failed requests where none failed, is left out. */
export function timelineLines(what: 'requests' | 'latency', slices: readonly Slice[]): readonly TimeLine[] {
  const lines = what === 'requests' ? requestLines : latencyLines;
  return lines
    .filter(({ read }) => slices.some((slice) => (read(slice) ?? 0) > 0))
    .map(({ read, ...line }) => ({
      ...line,
      points: slices.map((slice) => [timeOf(slice), read(slice)] as const),
    }));
}
