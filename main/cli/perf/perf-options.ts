import type { GivenOptions, TlsOptions } from '../field-options';

/** Options of `perf` from commander; field options have their own names. */
export interface PerfOptions extends GivenOptions, TlsOptions {
  readonly url?: string;
  readonly grpcUrl?: string;
  readonly metricsUrl?: string;
  readonly via?: string;
  readonly host?: string;
  readonly model: readonly string[];
  readonly modelVersion?: string;
  readonly shape?: readonly string[];
  readonly inputData?: readonly string[];
  readonly stringLength?: string;
  readonly lengthDistribution?: string;
  readonly stringData?: string;
  /** Milliseconds. */
  readonly metricsInterval?: number;
  readonly inTurns: boolean;
  /** Seconds; true: as long as usual. */
  readonly holdEdge?: number | true;
  /** The local Triton is started on it, in place of an address. */
  readonly modelRepository?: string;
  /** Further models of it, with commas. */
  readonly with?: string;
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
  readonly remoteConcurrency?: string;
  readonly remoteRequestRate?: string;
  readonly csv?: string;
  readonly profileExportFile?: string;
  readonly header?: readonly string[];
  readonly p99BudgetMs?: number;
  readonly json?: boolean;
}
