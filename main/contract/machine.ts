import type { Environment } from './measured/results';
import type { EngineKind } from './run/run-spec';

/** MIG device: a slice of a GPU with its own memory and multiprocessors. */
export interface MigDevice {
  readonly index: number;
  readonly gpuInstanceId: number;
  readonly computeInstanceId: number;
  /** Missing in some drivers' XML reports; `nvidia-smi -L` has it. */
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

/** A GPU at one moment of a measurement; null: not reported. */
export interface GpuReading {
  readonly uuid: string;
  /** 0 to 1. */
  readonly utilization: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryTotalBytes: number | null;
  readonly powerW: number | null;
  readonly smClockMHz: number | null;
  /** Reasons that reduce the clocks below what the load asks for; empty: none. */
  readonly throttles: readonly ('power limit' | 'temperature' | 'power supply' | 'hardware slowdown')[];
}

/** Values that change by the second. null: the driver does not report it ("N/A", "[Unknown Error]"). */
export interface GpuLoad {
  readonly gpuPercent: number | null;
  readonly memoryPercent: number | null;
  readonly memoryUsedBytes: number | null;
  readonly powerDrawW: number | null;
  readonly temperatureC: number | null;
  readonly smClockMHz: number | null;
}

/** One GPU as in `nvidia-smi -q -x`. null: the driver does not report it. */
export interface GpuFacts {
  /** Position in the report, which is nvidia-smi's index. */
  readonly index: number;
  readonly name: string;
  /** "GPU-…"; null where the driver gives none. */
  readonly uuid: string | null;
  readonly busId: string;
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
  /** Newest CUDA that the driver supports, "12.2". */
  readonly cudaVersion: string | null;
  readonly gpus: readonly GpuFacts[];
  /** Why the list is empty or unreliable, in a sentence; null when nvidia-smi succeeded. */
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

export type DockerFacts =
  | {
      readonly reachable: true;
      /** "unix:///var/run/docker.sock", "ssh://user@host", "tcp://host:2376". */
      readonly host: string;
      readonly serverVersion: string;
      /** Version that both sides support. */
      readonly apiVersion: string;
      readonly runtimes: readonly string[];
      /** "nvidia.com/gpu=all", …; null: CDI without a device list, before Docker 28.2. */
      readonly cdiDevices: readonly string[] | null;
      /** Whether a daemon finds NVIDIA's hook; null: not visible from here. */
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

export interface Check {
  readonly id: CheckId;
  readonly title: string;
  /** `not-applicable`: there is nothing to check here; the finding says why. */
  readonly status: 'ok' | 'warning' | 'problem' | 'not-applicable';
  readonly finding: string;
  /** A command where there is one; null when there is nothing to fix. */
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
  /** Why NVIDIA's images have their release, or what every release lacks here; null without a known GPU. */
  readonly release: string | null;
}

export interface EngineStatus {
  readonly kind: EngineKind;
  readonly available: boolean;
  readonly version: string | null;
  /** Why it is unavailable, or what to know about it. */
  readonly note: string;
  readonly remedy: string | null;
}

/** Parts of the workbench home that a run outside containers needs, in order of need. */
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
  readonly installable: boolean;
}
