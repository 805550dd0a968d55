import type { TlsFiles } from '../contract/address';
import type { EngineStatus } from '../contract/machine';
import type { EngineKind } from '../contract/run/run-spec';

export interface StartServerInput {
  readonly runId: string;
  /** Hash of what the repository holds: a server that serves another one is not taken up again. */
  readonly key: string;
  /** Triton model repository, absolute. */
  readonly repository: string;
  /** The server's stdout and stderr are appended here. */
  readonly logPath: string;
  /** Asked for by the user; chosen by the engine when absent. */
  readonly httpPort?: number | undefined;
  readonly grpcPort?: number | undefined;
  readonly signal: AbortSignal;
  readonly onLog: (lines: readonly string[]) => void;
  /** The exact command, before it runs. */
  readonly onCommand: (argv: readonly string[]) => void;
}

export interface ServerExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** It was ended because its memory limit was reached. */
  readonly outOfMemory?: boolean;
  readonly tail: readonly string[];
}

/** A running Triton. Addresses are `host:port`, as read back from the running process. */
export interface ServerHandle {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly metricsAddress: string | null;
  /** `host:port` as the run's own clients (toolkit, load tools) reach it. */
  readonly forClients: {
    readonly httpAddress: string;
    readonly grpcAddress: string;
    /** Absent: in the clear. */
    readonly httpTls?: TlsFiles | undefined;
    readonly grpcTls?: TlsFiles | undefined;
  };
  readonly tritonVersion: string;
  /** Settles when the server ends, wanted or not; null pid for servers that are not ours. */
  readonly exited: Promise<ServerExit>;
  readonly pid: number | null;
  /** Ends the server and everything it started; harmless when it has ended. */
  stop(): Promise<void>;
  /** Lets go of it and leaves it running, to be taken up again; absent where that cannot be. */
  leave?(): Promise<void>;
}

export interface SweepResult {
  /** Process ids of servers that a dead workbench had left and that were ended. */
  readonly ended: readonly number[];
  /** Names of containers that were removed. */
  readonly removedContainers: readonly string[];
}

/** What is left of dead workbenches beside servers too. */
export interface SweptAll extends SweepResult {
  /** Process ids of other programs that they had started: exports, load generators, printers. */
  readonly endedChildren: readonly number[];
}

/** A place to run Triton. */
export interface Engine {
  readonly kind: EngineKind;
  detect(): Promise<EngineStatus>;
  /** Ready = server ready; loading models is the caller's. Throws port-taken, server-start-failed, toolchain-missing. */
  startServer(input: StartServerInput): Promise<ServerHandle>;
  /** Ends what dead workbenches left behind; never touches what a live one or anybody else owns. */
  sweep(): Promise<SweepResult>;
}
