import { readFile, realpath, statfs } from 'node:fs/promises';
import os from 'node:os';
import { dirname, resolve } from 'node:path';
import type { GpuReport, HostFacts } from '../contract/machine';
import type { Environment } from '../contract/measured/results';
import { readGpus } from './gpu-report';
import { gpusOfPlan } from './preflight-gpu';

/** Where the path lies or, as long as it is not there, its nearest parent that is; links are followed. */
async function realParent(path: string): Promise<string> {
  const parent = dirname(path);
  return realpath(path).catch(() => (parent === path ? path : realParent(parent)));
}

// Asks the kernel for the very path: a table of mounts (systeminformation's too) leaves out every tmpfs,
// and a folder in one would be taken for a part of the root disk.
async function readFileSystem(path: string) {
  const found = await statfs(path).catch(() => null);
  // Free is what a user who is not root may still write.
  return found === null
    ? null
    : { totalBytes: found.bsize * found.blocks, freeBytes: found.bsize * found.bavail };
}

/**
 * What this machine has left: `disks` has a line for each of the given paths, in their order, without those
 * whose file system cannot be told. `loadAverage` is that of the last minute; 0 on Windows, which has none.
 */
export async function readHostFacts(paths: readonly string[]): Promise<HostFacts> {
  // Takes 90 ms to load: only who asks for the machine pays for it.
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
  /** Engine kind that the results are obtained with. */
  readonly engine: string;
  readonly env: NodeJS.ProcessEnv;
  /** GPUs and MIG devices that are used; absent or empty: those of the machine. */
  readonly gpuIds?: readonly string[] | undefined;
}

/** PRETTY_NAME of `/etc/os-release`, as text. */
export function parseOsRelease(text: string): string | null {
  return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(text)?.[1] ?? null;
}

async function readOs(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return `${parseOsRelease(release) ?? os.type()}, kernel ${os.release()}, ${os.arch()}`;
}

/** GPUs as results name them; none where nvidia-smi is missing, hangs or says something else. Pure. */
export function resultGpus(report: GpuReport, gpuIds: readonly string[]): Environment['gpus'] {
  const { driverVersion } = report;
  return gpusOfPlan({ gpus: report, plan: { gpuIds } }).map((gpu) => ({
    name: gpu.name,
    uuid: gpu.uuid ?? gpu.busId,
    memoryBytes: gpu.memoryTotalBytes ?? 0,
    driver: driverVersion ?? 'unknown',
  }));
}

/** This machine, as results are obtained on it. */
export async function readEnvironment(input: ReadEnvironmentInput): Promise<Environment> {
  const [first] = os.cpus();
  return {
    workbenchVersion: input.workbenchVersion,
    engine: input.engine,
    // Told by later steps.
    ...{ tritonVersion: null, image: null, images: [], packages: {} },
    os: await readOs(),
    cpu: first?.model.trim() ?? 'unknown',
    cpuCount: os.cpus().length,
    memoryBytes: os.totalmem(),
    gpus: resultGpus(await readGpus(input.env), input.gpuIds ?? []),
  };
}
