import type { Environment } from './measured/results';
import type { EngineKind } from './run/run-spec';

/** A MIG device: a slice of a GPU with memory and multiprocessors of its own. */
export interface MigDevice {
  readonly index: number;
  readonly gpuInstanceId: number;
  readonly computeInstanceId: number;
  /** Not in the XML report of every driver; `nvidia-smi -L` has it. */
  readonly uuid: string | null;
  readonly multiprocessors: number | null;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
}

export interface GpuProcess {
  readonly pid: number;
  readonly name: string;
  /** "C" compute, "G" graphics, "C+G". */
  readonly type: string;
  readonly usedMemoryBytes: number | null;
}

/** A GPU at one moment of a measurement; null what the driver does not know. */
export interface GpuReading {
  readonly uuid: string;
  /** 0 to 1. */
  readonly utilization: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryTotalBytes: number | null;
  readonly powerW: number | null;
  readonly smClockMHz: number | null;
  /** What holds the clocks below what the load asks for; empty: nothing. */
  readonly throttles: readonly ('power limit' | 'temperature' | 'power supply' | 'hardware slowdown')[];
}

/** What changes from second to second. null: the driver does not say ("N/A", "[Unknown Error]"). */
export interface GpuLoad {
  readonly gpuPercent: number | null;
  readonly memoryPercent: number | null;
  readonly memoryUsedBytes: number | null;
  readonly powerDrawW: number | null;
  readonly temperatureC: number | null;
  readonly smClockMHz: number | null;
}

/** One GPU as `nvidia-smi -q -x` describes it. null: the driver does not say. */
export interface GpuFacts {
  /** Position in the report, which is nvidia-smi's index. */
  readonly index: number;
  readonly name: string;
  /** "GPU-…"; null where the driver gives none. */
  readonly uuid: string | null;
  readonly busId: string;
  /** "Ampere", "Turing", …. */
  readonly architecture: string | null;
  /** "8.0"; from the product's name where the report has no field for it. */
  readonly computeCapability: string | null;
  readonly memoryTotalBytes: number | null;
  readonly load: GpuLoad;
  readonly powerLimitW: number | null;
  readonly maxClocks: { readonly smMHz: number | null; readonly memoryMHz: number | null };
  readonly performanceState: string | null;
  readonly ecc: { readonly enabled: boolean | null; readonly uncorrectedVolatile: number | null };
  readonly mig: { readonly enabled: boolean | null; readonly devices: readonly MigDevice[] };
  readonly processes: readonly GpuProcess[];
}

export interface GpuReport {
  readonly driverVersion: string | null;
  /** Newest CUDA that the driver serves, "12.2". */
  readonly cudaVersion: string | null;
  readonly gpus: readonly GpuFacts[];
  /** Why the list is empty or not to be trusted, in a sentence; null when nvidia-smi answered well. */
  readonly problem: string | null;
}

export interface HostFacts {
  readonly disks: readonly {
    readonly path: string;
    readonly totalBytes: number;
    readonly freeBytes: number;
  }[];
  /** Size of /dev/shm; null where there is none. */
  readonly sharedMemoryBytes: number | null;
  readonly memoryFreeBytes: number;
  readonly loadAverage: number;
}

/** What a Docker Engine says of itself, or why there is none. */
export type DockerFacts =
  | {
      readonly reachable: true;
      /** "unix:///var/run/docker.sock", "ssh://user@host", "tcp://host:2376". */
      readonly host: string;
      readonly serverVersion: string;
      /** The version both sides speak. */
      readonly apiVersion: string;
      readonly runtimes: readonly string[];
      /** "nvidia.com/gpu=all", …; null: it has CDI, but is one of the versions before 28.2, which list no devices. */
      readonly cdiDevices: readonly string[] | null;
      /** NVIDIA's hook is where a daemon finds it; null: not seen from here. */
      readonly nvidiaHook: boolean | null;
      readonly rootDir: string;
      readonly rootFreeBytes: number | null;
      readonly rootless: boolean;
    }
  | {
      readonly reachable: false;
      readonly host: string;
      readonly reason: 'absent' | 'permission' | 'timeout' | 'refused' | 'api-version' | 'other';
      readonly message: string;
    };

export const checkIds = [
  'tools',
  'gpus',
  'driver',
  'compute-capability',
  'docker',
  'docker-permission',
  'docker-api',
  'container-toolkit',
  'disk',
  'shared-memory',
  'ports',
  'security-floor',
  'tensorflow-backend',
  'tensorrt-plan',
] as const;
export type CheckId = (typeof checkIds)[number];

/** One line of the preflight. */
export interface Check {
  readonly id: CheckId;
  readonly title: string;
  /** `not-applicable`: there is nothing to check here, and the finding says why. */
  readonly status: 'ok' | 'warning' | 'problem' | 'not-applicable';
  readonly finding: string;
  /** The exact thing to do, a command where there is one; null when there is nothing to mend. */
  readonly remedy: string | null;
}

export interface MachineStatus {
  readonly environment: Environment;
  readonly engines: readonly EngineStatus[];
  readonly gpus: GpuReport;
  readonly host: HostFacts;
  readonly docker: DockerFacts;
  readonly tools: ToolFacts;
  readonly checks: readonly Check[];
  /** Why NVIDIA's images would be of their release, or what every release misses here; null where no GPU is known. */
  readonly release: string | null;
}

export interface EngineStatus {
  readonly kind: EngineKind;
  readonly available: boolean;
  readonly version: string | null;
  /** Why it cannot be used, or what to know about it. */
  readonly note: string;
  readonly remedy: string | null;
}

/** What a run outside of containers needs of the workbench home, in the order of need. */
export const toolIds = ['python', 'triton', 'perf-analyzer'] as const;
export type ToolId = (typeof toolIds)[number];

const toolTitle: Readonly<Record<ToolId, string>> = {
  python: 'the Python environment',
  triton: 'Triton',
  'perf-analyzer': 'perf_analyzer',
};

/** "Triton", "Triton and perf_analyzer", "the Python environment, Triton and perf_analyzer". */
export function toolList(tools: readonly ToolId[]): string {
  const titles = tools.map((tool) => toolTitle[tool]);
  const last = titles.pop() ?? '';
  return titles.length === 0 ? last : `${titles.join(', ')} and ${last}`;
}

export interface ToolFacts {
  readonly missing: readonly ToolId[];
  /** The set-up has packages for this system, so that `tools.install` can install them. */
  readonly installable: boolean;
}
