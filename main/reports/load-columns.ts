import type { LoadPoint } from '../contract/results';
import type { Sweep } from '../contract/sweep';
import { achievedRate } from '../contract/sweep';

export interface LoadColumn {
  /** The seeds' heading. */
  readonly heading: string;
  readonly kind: 'load' | 'rate' | 'throughput' | 'component' | 'latency';
  /** null: the tool did not say. */
  readonly read: (point: LoadPoint) => number | null;
}

/** The columns of the published result tables (second generation), in their order; times are read in microseconds. */
const loadColumns: readonly LoadColumn[] = [
  { heading: 'Batch', kind: 'load', read: (point) => point.batchSize },
  { heading: 'Concurrency', kind: 'load', read: (point) => point.concurrency },
  { heading: 'Inferences/Second', kind: 'throughput', read: (point) => point.inferencesPerSecond },
  { heading: 'Client Send (ms)', kind: 'component', read: (point) => point.clientSendUs },
  {
    heading: 'Network+Server Send/Recv (ms)',
    kind: 'component',
    read: (point) => point.networkServerSendRecvUs,
  },
  { heading: 'Server Queue (ms)', kind: 'component', read: (point) => point.serverQueueUs },
  { heading: 'Server Compute Input (ms)', kind: 'component', read: (point) => point.serverComputeInputUs },
  { heading: 'Server Compute Infer (ms)', kind: 'component', read: (point) => point.serverComputeInferUs },
  { heading: 'Server Compute Output (ms)', kind: 'component', read: (point) => point.serverComputeOutputUs },
  { heading: 'Client Recv (ms)', kind: 'component', read: (point) => point.clientRecvUs },
  { heading: 'p50 latency (ms)', kind: 'latency', read: (point) => point.p50Us },
  { heading: 'p90 latency (ms)', kind: 'latency', read: (point) => point.p90Us },
  { heading: 'p95 latency (ms)', kind: 'latency', read: (point) => point.p95Us },
  { heading: 'p99 latency (ms)', kind: 'latency', read: (point) => point.p99Us },
  { heading: 'avg latency (ms)', kind: 'latency', read: (point) => point.avgUs },
];

export const latencyComponents = loadColumns.filter(({ kind }) => kind === 'component');

/** perf_analyzer's heading in the place of its "Concurrency". */
const rateColumn: LoadColumn = {
  heading: 'Request Rate',
  kind: 'rate',
  read: (point) => point.requestRate ?? null,
};

/** The columns of a sweep: of request rates with "Request Rate" where others have "Concurrency". */
export const loadColumnsOf = (sweep: Sweep): readonly LoadColumn[] =>
  sweep === 'requestRate'
    ? loadColumns.map((column) => (column.heading === 'Concurrency' ? rateColumn : column))
    : loadColumns;

/** What files of request-rate levels have more; latency from the time at which a request was due. */
export const scheduleColumns: readonly LoadColumn[] = [
  { heading: 'Requests/Second', kind: 'throughput', read: achievedRate },
  {
    heading: 'Delayed Request Count',
    kind: 'load',
    read: ({ scheduled }) => scheduled?.delayedCount ?? null,
  },
  ...(['p50', 'p90', 'p95', 'p99', 'avg', 'max'] as const).map((name): LoadColumn => ({
    heading: `${name} latency from schedule (ms)`,
    kind: 'latency',
    read: ({ scheduled }) => scheduled?.[`${name}Us`] ?? null,
  })),
];
