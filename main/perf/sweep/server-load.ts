import type { Protocol } from '../../contract/run-spec';
import type { TlsFiles } from '../../contract/tls';
import type { MeasureInput } from '../load-tool';
import type { SweepPlan } from './sweep';

export interface NamedModel {
  readonly name: string;
  /** Of the level's concurrency or request rate so many times as much. */
  readonly weight: number;
}

/** Where a server is reached; `host:port` of both interfaces. */
export interface ServerAddresses {
  readonly http: string;
  readonly grpc: string;
  /** null: in the clear. */
  readonly httpTls: TlsFiles | null;
  readonly grpcTls: TlsFiles | null;
}

/** What is to be measured on a Triton that is there already, and how. */
export interface ServerLoad extends SweepPlan {
  readonly addresses: ServerAddresses;
  readonly protocol: Protocol;
  readonly models: readonly NamedModel[];
  /** '' lets the server choose. */
  readonly modelVersion: string;
  /** `random`, `zero` or a path; `NAME=source` for that model only. */
  readonly sources: readonly string[];
  /** Dimensions by input name where the model's are dynamic. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly settings: MeasureInput['settings'];
  /** A window of each level in turn, as often as a level has windows, where the load tool can. */
  readonly inTurns: boolean;
  /** Requests go out by a list of intervals. */
  readonly byIntervals: boolean;
}
