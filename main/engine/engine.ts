import { isLoopback, type TlsFiles } from '../contract/address';
import type { Deployment, DeploymentBody, DeploymentEngine } from '../contract/deployment/deployment';
import type { UsedImage } from '../contract/measured/results';
import type { DockerEngineSpec, Framework, LoadTool as LoadToolId, RunSpec } from '../contract/run/run-spec';
import type { LoadTool } from '../perf/load-tool';
import type { ProcessReading } from '../platform/process-readings';
import type { LaunchPython, ToolkitListener } from '../toolkit/toolkit';
import type { ServerTraces } from './server-traces';

export interface DeploymentPaths {
  readonly dir: string;
  readonly repository: string;
  /** Log of a server without an engine. */
  readonly log: string;
}

/** State of a deployment's Triton without a request to it. */
export type ServerStatus =
  /** `since`: ISO 8601; null: unknown. */
  | { readonly kind: 'running'; readonly since: string | null; readonly warning?: string }
  /** Crashed, or in a restart loop. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Stopped by someone, or never started. */
  | { readonly kind: 'stopped'; readonly reason: string };

export interface StartOptions {
  readonly signal: AbortSignal;
  readonly note: (body: DeploymentBody) => Promise<unknown>;
}

/** A Triton that outlives the workbench. */
export interface DeploymentServer {
  /** Local `host:port` for one of its machine. Throws host-unknown, host-unreachable. */
  reach(deployment: Deployment, address: string): Promise<string>;
  /** Ports in use on its machine; null for this machine, where ports are probed. Throws docker-unreachable. */
  busyPorts(engine: DeploymentEngine): Promise<ReadonlySet<number> | null>;
  /** Mirrors the repository to Triton's machine. Throws docker-unreachable, docker-failed, container-failed. */
  sync(deployment: Deployment, paths: DeploymentPaths, signal?: AbortSignal): Promise<void>;
  /**
   * Starts it, or finds it running; returns before it is ready. Throws port-taken, image-missing, container-failed,
   * server-start-failed, toolchain-missing.
   * @param how `note` journals its identity before this process can die
   */
  start(deployment: Deployment, paths: DeploymentPaths, how: StartOptions): Promise<void>;
  /** Returns once it has ended; no error if it had. */
  stop(deployment: Deployment): Promise<void>;
  /** Stops it, and removes its resources. */
  remove(deployment: Deployment, paths: DeploymentPaths): Promise<void>;
  readStatus(deployment: Deployment): Promise<ServerStatus>;
  /** Its processes. Throws docker-unreachable, docker-failed, host-unreachable. */
  readProcesses(deployment: Deployment): Promise<readonly ProcessReading[]>;
  /** Its trace files; none of one that was started by an earlier version. */
  traces(deployment: Deployment, paths: DeploymentPaths): ServerTraces;
  /** The last lines, oldest first. */
  log(deployment: Deployment, paths: DeploymentPaths, limit: number): Promise<readonly string[]>;
}

/** A run for which a place is opened. */
export interface ExecutorRun {
  readonly runId: string;
  readonly dir: string;
  readonly framework: Framework;
  readonly step: () => string;
  /** Triton runs on the machine already: only load is generated there, on the host network. */
  readonly isBeside?: boolean;
}

export type ImagesListener = Pick<ToolkitListener, 'signal' | 'log' | 'progress'>;

export interface EngineWatch {
  /** "the Docker Engine at unix:///var/run/docker.sock". */
  readonly name: string;
  /** How long a run waits; absent: forever. */
  readonly waitMs?: number | undefined;
  /** Polls every 2 s; `onAway` is called once after 10 s without a response. Returns the disposer. */
  start(onAway: () => void): () => void;
  /** No response now or within the last minute. */
  wasAway(): Promise<boolean>;
  answers(): Promise<boolean>;
}

/** Executes a run's work: server, toolkit and load tools. */
export interface Executor {
  /** Returns when the server is ready, without models. Throws port-taken, server-start-failed, toolchain-missing. */
  startServer(input: StartServerInput): Promise<ServerHandle>;
  readonly launchPython: LaunchPython;
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  /** Part of every step key. Empty without images. */
  readonly imageNames: readonly string[];
  /** Builds or pulls images; must precede every start. null without images. */
  readonly prepareImages: ((listener: ImagesListener) => Promise<readonly UsedImage[]>) | null;
  /** null if no engine can become unavailable. */
  readonly engineWatch: EngineWatch | null;
  /** Before an attempt: ends leftovers that it cannot reuse. */
  reclaim(): Promise<void>;
  /** After an attempt: removes everything of the run. */
  release(): Promise<void>;
}

export const thisMachine = 'this machine';

/** The part of a specification that selects a place. */
export type ExecutorSpec = Pick<RunSpec, 'engine' | 'format' | 'model' | 'performance'>;

/** For load generation on a host: no GPU, and an image that is built there. */
export const hostEngine = (host: string): DockerEngineSpec => ({
  kind: 'docker',
  host,
  images: 'cpu',
  gpus: [],
  shmSizeMiB: 64,
});

/** The machine under load: the address's host, or this machine. */
export function deviceOfUrl(url: string): string {
  const { hostname } = new URL(url);
  return isLoopback(hostname) ? thisMachine : `host ${hostname}`;
}

export interface StartServerInput {
  readonly runId: string;
  /** Hash of the repository; a server with another one is not reused. */
  readonly key: string;
  readonly repository: string;
  /**
   * A repository of others, served byte for byte: Triton completes configurations, and where it lacks its own backends,
   * Python-based ones execute ONNX, TorchScript and SavedModel.
   */
  readonly asIs?: boolean | undefined;
  /** stdout and stderr are appended here. */
  readonly logPath: string;
  /** Requested ports; absent: chosen by the engine. */
  readonly httpPort?: number | undefined;
  readonly grpcPort?: number | undefined;
  readonly signal: AbortSignal;
  readonly onLog: (lines: readonly string[]) => void;
  /** Called with the command before it runs. */
  readonly onCommand: (argv: readonly string[]) => void;
}

export interface ServerExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Killed by its memory limit. */
  readonly outOfMemory?: boolean;
  readonly tail: readonly string[];
}

/** A running Triton. Addresses are `host:port`, as read back from the process. */
export interface ServerHandle {
  readonly httpAddress: string;
  readonly grpcAddress: string;
  readonly metricsAddress: string | null;
  /** `host:port` for the run's own clients (toolkit, load tools). */
  readonly forClients: {
    readonly httpAddress: string;
    readonly grpcAddress: string;
    /** Absent: no TLS. */
    readonly httpTls?: TlsFiles | undefined;
    readonly grpcTls?: TlsFiles | undefined;
  };
  /** Of HTTP on its own machine, where `httpAddress` leads to another one; absent: that is it. */
  readonly seenAt?: string;
  readonly tritonVersion: string;
  /** Settles when the server ends; its pid is null for servers of others. */
  readonly exited: Promise<ServerExit>;
  readonly pid: number | null;
  /** Memory of its processes, bytes; null: not known. Absent: a server of others. */
  readMemory?(): Promise<number | null>;
  /** Its processes; throws where they cannot be read. Absent: a server of others. */
  readProcesses?(): Promise<readonly ProcessReading[]>;
  /** Its trace files. Absent: a server of others, or one that was started without. */
  readonly traces?: ServerTraces;
  /** Ends the server and its child processes; no-op if it has ended. */
  stop(): Promise<void>;
  /** Leaves it running for reuse; absent if impossible. */
  leave?(): Promise<void>;
}

export interface SweepResult {
  /** Process ids of orphaned servers that were ended. */
  readonly ended: readonly number[];
  readonly removedContainers: readonly string[];
}

/** Also counts leftovers other than servers. */
export interface SweptAll extends SweepResult {
  /** Process ids of other orphans: exports, load generators, printers. */
  readonly endedChildren: readonly number[];
}
