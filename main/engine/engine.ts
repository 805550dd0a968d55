import { isLoopback, type TlsFiles } from '../contract/address';
import type { Deployment, DeploymentBody, DeploymentEngine } from '../contract/deployment';
import type { UsedImage } from '../contract/measured/results';
import type { DockerEngineSpec, Framework, LoadTool as LoadToolId, RunSpec } from '../contract/run/run-spec';
import type { LoadTool } from '../perf/load-tool';
import type { LaunchPython, ToolkitListener } from '../toolkit/toolkit';

/** Where a deployment has its files. */
export interface DeploymentPaths {
  /** Absolute. */
  readonly dir: string;
  /** Triton's model repository. */
  readonly repository: string;
  /** Output of a server that has no engine to keep it. */
  readonly log: string;
}

/** What was found of a deployment's Triton, without asking it anything. */
export type ServerStatus =
  /** `since`: ISO 8601; null: not known. */
  | { readonly kind: 'running'; readonly since: string | null; readonly warning?: string }
  /** It ended by itself, or is being started again and again. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Who keeps it does not answer. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Somebody stopped it, or it was never started. */
  | { readonly kind: 'stopped'; readonly reason: string };

export interface StartOptions {
  readonly signal: AbortSignal;
  readonly note: (body: DeploymentBody) => Promise<unknown>;
}

/** A Triton that outlives the workbench. */
export interface DeploymentServer {
  /** `host:port` here that leads to that `host:port` of its machine. Throws host-unknown, host-unreachable. */
  reach(deployment: Deployment, address: string): Promise<string>;
  /** Ports of its machine that somebody has; null: it is this machine, whose ports are tried. Throws docker-unreachable. */
  busyPorts(engine: DeploymentEngine): Promise<ReadonlySet<number> | null>;
  /**
   * Has the model repository as it is here where Triton reads it. Throws docker-unreachable, docker-failed, and
   * container-failed.
   */
  sync(deployment: Deployment, paths: DeploymentPaths, signal?: AbortSignal): Promise<void>;
  /**
   * Starts it, or finds it running; returns before it is ready. Throws port-taken, image-missing, container-failed,
   * server-start-failed, toolchain-missing.
   * @param how `note` journals what it is found by, whatever becomes of this process
   */
  start(deployment: Deployment, paths: DeploymentPaths, how: StartOptions): Promise<void>;
  /** Returns once it has ended; quiet where it had. */
  stop(deployment: Deployment): Promise<void>;
  /** Stops it, and removes what the engine keeps of it. */
  remove(deployment: Deployment, paths: DeploymentPaths): Promise<void>;
  /** Throws docker-unreachable. */
  readStatus(deployment: Deployment): Promise<ServerStatus>;
  /** Its last lines, oldest first. */
  log(deployment: Deployment, paths: DeploymentPaths, limit: number): Promise<readonly string[]>;
}

/** The run that a place works for. */
export interface ExecutorRun {
  readonly runId: string;
  /** Run folder, absolute. */
  readonly dir: string;
  /** Of the run's model. */
  readonly framework: Framework;
  /** Id of the step under way. */
  readonly step: () => string;
  /** Its Triton is on the machine already: only the load is made there, over the network of the machine. */
  readonly isBeside?: boolean;
}

export type ImagesListener = Pick<ToolkitListener, 'signal' | 'log' | 'progress'>;

/** Whether the engine that a place works with answers. */
export interface EngineWatch {
  /** "the Docker Engine at unix:///var/run/docker.sock". */
  readonly name: string;
  /** How long a run waits for it; for ever where absent. */
  readonly waitMs?: number | undefined;
  /** Looks every 2 s; `onAway` is called once, when there was no answer for 10 s. Returns the disposer. */
  start(onAway: () => void): () => void;
  /** It gave no answer within the last minute, or gives none now. */
  wasAway(): Promise<boolean>;
  answers(): Promise<boolean>;
}

/** Where all of a run's work is done: its server, its toolkit and its load tools. */
export interface Executor {
  /** Ready = server ready; loading models is the caller's. Throws port-taken, server-start-failed, toolchain-missing. */
  startServer(input: StartServerInput): Promise<ServerHandle>;
  readonly launchPython: LaunchPython;
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  /** Part of every step's key: what another image made is another thing. Empty where no image is involved. */
  readonly imageNames: readonly string[];
  /** Builds or pulls what is missing; null where no image is involved. Before it nothing can be started. */
  readonly prepareImages: ((listener: ImagesListener) => Promise<readonly UsedImage[]>) | null;
  /** null where there is no engine that could go away. */
  readonly engineWatch: EngineWatch | null;
  /** Before an attempt: ends what an earlier one left and this one cannot take up. */
  reclaim(): Promise<void>;
  /** After an attempt: nothing of the run is left behind. */
  release(): Promise<void>;
}

export const thisMachine = 'this machine';

/** The part of a specification that decides a place to run. */
export type ExecutorSpec = Pick<RunSpec, 'engine' | 'format' | 'model' | 'performance'>;

/** What runs on a host beside a Triton that is there already: it has no GPU, and an image that is built there. */
export const hostEngine = (host: string): DockerEngineSpec => ({
  kind: 'docker',
  host,
  images: 'cpu',
  gpus: [],
  shmSizeMiB: 64,
});

/** The machine that the load falls on when this address is measured: its host, or this machine. */
export function deviceOfUrl(url: string): string {
  const { hostname } = new URL(url);
  return isLoopback(hostname) ? thisMachine : `host ${hostname}`;
}

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
