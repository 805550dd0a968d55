import { readFile, realpath, statfs } from 'node:fs/promises';
import os from 'node:os';
import { dirname, resolve } from 'node:path';
import type { GpuReport, HostFacts } from '../contract/machine';
import type { Environment } from '../contract/measured/results';
import { readGpus } from './gpu-report';
import { gpusOfPlan } from './preflight-gpu';

/** Real path of `path`, or of its nearest existing parent. */
async function realParent(path: string): Promise<string> {
  const parent = dirname(path);
  return realpath(path).catch(() => (parent === path ? path : realParent(parent)));
}

// statfs instead of a mount table (systeminformation's too), which omits tmpfs and would report the root disk.
async function readFileSystem(path: string) {
  const found = await statfs(path).catch(() => null);
  // Space for users other than root.
  return found === null
    ? null
    : { totalBytes: found.bsize * found.blocks, freeBytes: found.bsize * found.bavail };
}

/** `disks` is in the order of `paths`, without unknown file systems. `loadAverage` covers a minute; 0 on Windows. */
export async function readHostFacts(paths: readonly string[]): Promise<HostFacts> {
  // Loaded on demand: takes 90 ms.
  const { mem } = await import('systeminformation');
  const [memory, sharedMemory, disks] = await Promise.all([
    mem(),
    readFileSystem('/dev/shm'),
    Promise.all(
      paths.map(async (path) => {
        const found = await readFileSystem(await realParent(resolve(path)));
        return found === null ? [] : [{ path, ...found }];
      }),
    ),
  ]);
  return {
    disks: disks.flat(),
    sharedMemoryBytes: sharedMemory?.totalBytes ?? null,
    memoryFreeBytes: memory.available,
    loadAverage: os.loadavg()[0] ?? 0,
  };
}

interface ReadEnvironmentInput {
  readonly workbenchVersion: string;
  readonly engine: string;
  readonly env: NodeJS.ProcessEnv;
  /** Used GPUs and MIG devices; empty or absent: all. */
  readonly gpuIds?: readonly string[] | undefined;
}

/** PRETTY_NAME of `/etc/os-release`. */
export function parseOsRelease(text: string): string | null {
  return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(text)?.[1] ?? null;
}

async function readOs(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return `${parseOsRelease(release) ?? os.type()}, kernel ${os.release()}, ${os.arch()}`;
}

/** GPUs for results; empty if nvidia-smi is missing, hangs or fails. */
export function resultGpus(report: GpuReport, gpuIds: readonly string[]): Environment['gpus'] {
  const { driverVersion } = report;
  return gpusOfPlan({ gpus: report, plan: { gpuIds } }).map((gpu) => ({
    name: gpu.name,
    uuid: gpu.uuid ?? gpu.busId,
    memoryBytes: gpu.memoryTotalBytes ?? 0,
    driver: driverVersion ?? 'unknown',
  }));
}

export async function readEnvironment(input: ReadEnvironmentInput): Promise<Environment> {
  const [first] = os.cpus();
  return {
    workbenchVersion: input.workbenchVersion,
    engine: input.engine,
    // Set by later steps.
    tritonVersion: null,
    image: null,
    images: [],
    packages: {},
    os: await readOs(),
    cpu: first?.model.trim() ?? 'unknown',
    cpuCount: os.cpus().length,
    memoryBytes: os.totalmem(),
    gpus: resultGpus(await readGpus(input.env), input.gpuIds ?? []),
  };
}
