import { readFile } from 'node:fs/promises';
import os from 'node:os';
import type { Environment } from '../contract/results';
import { exec } from '../platform/exec';
import { parseNvidiaSmi } from './nvidia-smi';
import type { GpuFacts } from './nvidia-smi';

const nvidiaSmiTimeoutMs = 3000;
const maxReportLength = 8 * 1024 * 1024;

export interface ReadEnvironmentInput {
  readonly workbenchVersion: string;
  /** Engine kind that the results are obtained with. */
  readonly engine: string;
  readonly env: NodeJS.ProcessEnv;
  /** What later steps know better. */
  readonly tritonVersion?: string | null | undefined;
  readonly image?: string | null | undefined;
  readonly packages?: Readonly<Record<string, string>> | undefined;
}

/** PRETTY_NAME of `/etc/os-release`, as text. */
export function parseOsRelease(text: string): string | null {
  return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(text)?.[1] ?? null;
}

async function readOs(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return `${parseOsRelease(release) ?? os.type()}, kernel ${os.release()}, ${os.arch()}`;
}

async function askNvidiaSmi(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<readonly GpuFacts[]> {
  const lines: string[] = [];
  let length = 0;
  try {
    const result = await exec({
      argv: ['nvidia-smi', '-q', '-x'],
      env,
      signal,
      onStdoutLine: (line) => {
        length += line.length;
        if (length <= maxReportLength) lines.push(line);
      },
    });
    return result.exitCode === 0 ? (parseNvidiaSmi(lines.join('\n')) ?? []) : [];
  } catch {
    return [];
  }
}

/** Empty where nvidia-smi is missing, does not answer within 3 s or says something else. */
export async function readGpus(env: NodeJS.ProcessEnv): Promise<readonly GpuFacts[]> {
  const timeout = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // A driver that hangs keeps nvidia-smi from being killed at all: its end is not waited for.
  const late = new Promise<readonly GpuFacts[]>((resolve) => {
    timer = setTimeout(() => {
      timeout.abort();
      resolve([]);
    }, nvidiaSmiTimeoutMs);
  });
  try {
    return await Promise.race([askNvidiaSmi(env, timeout.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The machine that results are obtained on. */
export async function readEnvironment(input: ReadEnvironmentInput): Promise<Environment> {
  const [first] = os.cpus();
  return {
    workbenchVersion: input.workbenchVersion,
    engine: input.engine,
    tritonVersion: input.tritonVersion ?? null,
    image: input.image ?? null,
    os: await readOs(),
    cpu: first?.model.trim() ?? 'unknown',
    cpuCount: os.cpus().length,
    memoryBytes: os.totalmem(),
    gpus: [...(await readGpus(input.env))],
    packages: { ...input.packages },
  };
}
