import type { Deployment, DeploymentBody, DeploymentEngine } from '../contract/deployment';

/** Where a deployment has its files. */
export interface DeploymentPlace {
  /** Absolute. */
  readonly dir: string;
  /** Triton's model repository. */
  readonly repository: string;
  /** Output of a server that has no engine to keep it. */
  readonly log: string;
}

/** What was found of a deployment's Triton, without asking it anything. */
export type ServerLook =
  /** `since`: ISO 8601; null: not known. */
  | { readonly kind: 'running'; readonly since: string | null }
  /** It ended by itself, or is being started again and again. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Who keeps it does not answer. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Somebody stopped it, or it was never started. */
  | { readonly kind: 'stopped'; readonly reason: string };

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
  sync(deployment: Deployment, place: DeploymentPlace): Promise<void>;
  /**
   * Starts it, or finds it running; returns before it is ready. Gives what is to be journaled beside the start, null:
   * nothing. Throws port-taken, image-missing, container-failed, server-start-failed, toolchain-missing.
   */
  start(deployment: Deployment, place: DeploymentPlace, signal: AbortSignal): Promise<DeploymentBody | null>;
  /** Quiet where it has ended. */
  stop(deployment: Deployment): Promise<void>;
  /** Stops it, and removes what the engine keeps of it. */
  remove(deployment: Deployment, place: DeploymentPlace): Promise<void>;
  /** Throws docker-unreachable. */
  look(deployment: Deployment): Promise<ServerLook>;
  /** Its last lines, oldest first. */
  log(deployment: Deployment, place: DeploymentPlace, limit: number): Promise<readonly string[]>;
}
