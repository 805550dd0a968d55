import { isLoopback } from '../contract/address';
import type { UsedImage } from '../contract/measured/results';
import type { DockerEngineSpec, Framework, LoadTool as LoadToolId, RunSpec } from '../contract/run/run-spec';
import type { LoadTool } from '../perf/load-tool';
import type { LaunchPython, ToolkitListener } from '../toolkit/toolkit';
import type { Engine } from './engine';

/** The run that a place works for. */
export interface PlaceRun {
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
export interface Place {
  readonly engine: Engine;
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

/**
 * What a run measures on; two runs that measure on the same would spoil each other's figures.
 * @param node that the run's job has; null outside of a job
 */
export function deviceOf(
  engine: Exclude<RunSpec['engine'], DockerEngineSpec>,
  node: string | null = null,
): string {
  switch (engine.kind) {
    case 'remote':
      return deviceOfUrl(engine.url);
    case 'slurm':
    case 'kubernetes':
      return node === null ? thisMachine : `node ${node}`;
    case 'local':
      return thisMachine;
  }
}
