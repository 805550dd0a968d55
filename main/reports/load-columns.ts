import type { LoadPoint } from '../contract/results';

export interface LoadColumn {
  /** The seeds' heading. */
  readonly heading: string;
  readonly kind: 'load' | 'throughput' | 'component' | 'latency';
  /** null: the tool did not say. */
  readonly read: (point: LoadPoint) => number | null;
}

/** The columns of the published result tables (second generation), in their order; times are read in microseconds. */
export const loadColumns: readonly LoadColumn[] = [
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
