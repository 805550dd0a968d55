import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DockerFacts, GpuFacts, GpuReport, HostFacts, MigDevice } from '../../../main/contract/machine';
import type { PreflightInput, PreflightPlan } from '../../../main/machine/preflight-docker';
import { parseReleases } from '../../../main/machine/releases';

export const gibibyte = 2 ** 30;

export const releases = parseReleases(
  readFileSync(join(__dirname, '../../../resources/images/releases.yaml'), 'utf8'),
);

export function gpuWith(facts: Partial<GpuFacts> = {}): GpuFacts {
  return {
    index: 0,
    name: 'NVIDIA A100-SXM4-40GB',
    uuid: 'GPU-a100',
    busId: '00000000:07:00.0',
    architecture: 'Ampere',
    computeCapability: '8.0',
    memoryTotalBytes: 40 * gibibyte,
    load: {
      gpuPercent: 0,
      memoryPercent: 0,
      memoryUsedBytes: 0,
      powerDrawW: null,
      temperatureC: null,
      smClockMHz: null,
    },
    powerLimitW: 400,
    maxClocks: { smMHz: 1410, memoryMHz: 1215 },
    performanceState: 'P0',
    ecc: { enabled: true, uncorrectedVolatile: 0 },
    mig: { enabled: false, devices: [] },
    processes: [],
    ...facts,
  };
}

export function migWith(uuid: string | null): MigDevice {
  return {
    index: 0,
    gpuInstanceId: 1,
    computeInstanceId: 0,
    uuid,
    multiprocessors: 14,
    memoryTotalBytes: 5 * gibibyte,
    memoryUsedBytes: 0,
  };
}

export const localDocker: Extract<DockerFacts, { reachable: true }> = {
  reachable: true,
  host: 'unix:///var/run/docker.sock',
  serverVersion: '28.1.1',
  apiVersion: '1.49',
  runtimes: ['io.containerd.runc.v2', 'nvidia', 'runc'],
  cdiDevices: [],
  nvidiaHook: null,
  rootDir: '/var/lib/docker',
  rootFreeBytes: 200 * gibibyte,
  rootless: false,
};

export type Reason = Extract<DockerFacts, { reachable: false }>['reason'];

export function unreachableDocker(reason: Reason, message = 'said so', host = localDocker.host): DockerFacts {
  return { reachable: false, host, reason, message };
}

export interface Change {
  readonly gpus?: Partial<GpuReport>;
  readonly host?: Partial<HostFacts>;
  readonly docker?: DockerFacts;
  readonly plan?: Partial<PreflightPlan>;
  readonly tools?: PreflightInput['tools'];
}

/** An A100 with a new driver, Docker in order and release 26.07, changed as told. */
export function inputWith(change: Change = {}): PreflightInput {
  return {
    gpus: {
      driverVersion: '610.43.02',
      cudaVersion: '13.3',
      gpus: [gpuWith()],
      problem: null,
      ...change.gpus,
    },
    host: {
      disks: [{ path: '/home', totalBytes: 500 * gibibyte, freeBytes: 100 * gibibyte }],
      sharedMemoryBytes: 32 * gibibyte,
      memoryFreeBytes: 48 * gibibyte,
      loadAverage: 0.5,
      ...change.host,
    },
    docker: change.docker ?? localDocker,
    releases,
    tools: change.tools === undefined ? { missing: [], installable: false } : change.tools,
    plan: {
      images: 'ngc',
      tritonImage: 'nvcr.io/nvidia/tritonserver:26.07-py3',
      release: '26.07',
      buildsClient: true,
      gpuIds: ['all'],
      shmSizeMiB: 1024,
      requestedPorts: [],
      format: 'onnx',
      usesTensorFlow: false,
      tensorRtPlan: null,
      imageBytesNeeded: 20 * gibibyte,
      ...change.plan,
    },
  };
}
