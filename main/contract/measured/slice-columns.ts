import { type Column, count, ms, named, rate } from './column';
import type { Slice } from './timeline';

const perSecond = (amount: number, { durationUs }: Slice): number => (amount * 1e6) / durationUs;

/** Columns of time slices, for tables and CSV files. */
export const sliceColumns: readonly Column<Slice>[] = [
  {
    ...named('slice-start', 'Time (s)', 'Time', { unit: 's', kind: 'typed' }),
    help: 'Start of the slice, from the start of the measurement.',
    read: ({ startUs }) => Number((startUs / 1e6).toFixed(3)),
  },
  {
    ...named('slice-due', 'Due/Second', 'Due/s', rate),
    help: 'Requests that were due, per second.',
    read: (slice) => perSecond(slice.due, slice),
  },
  {
    ...named('slice-answered', 'Answered/Second', 'Answered/s', rate),
    help: 'Of the requests that were due: those that were answered, per second.',
    read: (slice) => perSecond(slice.answered, slice),
  },
  {
    ...named('slice-refused', 'Refused/Second', 'Refused/s', rate),
    help: 'Of the requests that were due: those that were refused or cancelled, per second.',
    read: (slice) => perSecond(slice.refused, slice),
  },
  {
    ...named('slice-errors', 'Error Count', 'Failed', count),
    help: 'Of the requests that were due: those that failed.',
    read: ({ errors }) => errors,
  },
  {
    ...named('slice-throughput', 'Inferences/Second', 'Inferences/s', rate),
    help: 'Items answered within the slice, per second.',
    read: ({ inferencesPerSecond }) => inferencesPerSecond,
  },
  {
    ...named('slice-p50', 'p50 latency (ms)', 'p50', ms),
    help: 'Latency from the schedule of the answered requests that were due in the slice: p50.',
    read: ({ p50Us }) => p50Us,
  },
  {
    ...named('slice-p99', 'p99 latency (ms)', 'p99', ms),
    help: 'Latency from the schedule of the answered requests that were due in the slice: p99.',
    read: ({ p99Us }) => p99Us,
  },
  {
    ...named('slice-in-flight', 'In Flight', 'In flight', rate),
    help: 'Mean number of requests that were due and not yet answered.',
    read: ({ inFlight }) => inFlight,
  },
  {
    ...named('slice-good', 'Good/Second', 'Good/s', rate),
    help: 'Requests answered within the latency threshold, per second.',
    read: (slice) => (slice.good === undefined ? null : perSecond(slice.good, slice)),
  },
];
