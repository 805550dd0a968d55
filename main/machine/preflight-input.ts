import type { Check, DockerFacts, GpuReport, HostFacts, ToolFacts } from '../contract/machine';
import type { Releases } from './releases';

/** What a run is to do on the machine, as far as the checks need it. */
export interface PreflightPlan {
  readonly images: 'cpu' | 'ngc';
  readonly tritonImage: string;
  /** "26.07"; null where the image's name does not say it. */
  readonly release: string | null;
  /** The client image is built on the PyTorch image of the release. */
  readonly buildsClient: boolean;
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
  /** The GPUs are those of the engine's machine, also where that is another one. */
  readonly gpusOfEngine?: boolean;
  readonly host: HostFacts;
  readonly docker: DockerFacts;
  readonly releases: Releases;
  /** null: the run brings its own. */
  readonly tools: ToolFacts | null;
  readonly plan: PreflightPlan;
}

/** A check without its name. */
export type Outcome = Omit<Check, 'id' | 'title'>;

export const ok = (finding: string): Outcome => ({ status: 'ok', finding, remedy: null });

/** There is nothing to check, or nothing to check it by. */
export const notApplicable = (finding: string): Outcome => ({
  status: 'not-applicable',
  finding,
  remedy: null,
});

export const warning = (finding: string, remedy: string): Outcome => ({ status: 'warning', finding, remedy });

export const problem = (finding: string, remedy: string): Outcome => ({ status: 'problem', finding, remedy });
