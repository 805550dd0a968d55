import { readFile } from 'node:fs/promises';
import os from 'node:os';
import type { GpuReport } from '../contract/machine';
import type { Environment } from '../contract/measured/results';
import { readGpus } from './gpu-report';
import { gpusOfPlan } from './preflight-gpu';

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
