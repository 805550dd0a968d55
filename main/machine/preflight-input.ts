import type { DockerFacts, GpuReport, HostFacts } from '../contract/machine';
import type { ToolFacts } from '../contract/tools';
import type { Releases } from './releases';

/** What a run is to do on the machine, as far as the checks need it. */
export interface PreflightPlan {
  readonly images: 'cpu' | 'ngc';
  readonly tritonImage: string;
  /** "26.07"; null where the image's name does not say it. */
  readonly release: string | null;
  /** "all", or UUIDs of GPUs and MIG devices; none when empty. */
  readonly gpuIds: readonly string[];
  /** /dev/shm of the Triton container. */
  readonly shmSizeMiB: number;
  readonly requestedPorts: readonly {
    readonly port: number;
    /** Who holds it; null where that is not known or nobody does. */
    readonly owner: string | null;
    readonly free: boolean;
  }[];
  readonly format: string | null;
  readonly usesTensorFlow: boolean;
  /** An engine file that was built before; null where the run has none. */
  readonly tensorRtPlan: {
    readonly tensorrtVersion: string | null;
    readonly computeCapability: string | null;
  } | null;
  /** Room that the images still to be pulled or built take on the engine's disk. */
  readonly imageBytesNeeded: number;
}

export interface PreflightInput {
  readonly gpus: GpuReport;
  readonly host: HostFacts;
  readonly docker: DockerFacts;
  readonly releases: Releases;
  /** null: the run brings its own. */
  readonly tools: ToolFacts | null;
  readonly plan: PreflightPlan;
}
