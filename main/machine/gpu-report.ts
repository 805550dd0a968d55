import type { GpuFacts, GpuReport } from '../contract/machine';
import { fileLimits } from '../contract/reader-limits';
import { exec } from '../platform/exec';
import { parseGpuList } from './gpu-list';
import { parseNvidiaSmi } from './nvidia-smi';
import { describeSmiFailure } from './smi-failure';

/** Whoever asked has the whole answer within 3 s. */
const usualLimitMs = 2500;
const maxOutputLength = fileLimits.nvidiaSmi.bytes;

/** Text of one call, and why it is not to be trusted. */
interface Answer {
  readonly text: string;
  readonly problem: string | null;
}

// By PATH, which decides what `nvidia-smi` is. A hanging driver keeps it from being killed at all:
// as long as one has not ended, no other is started, however often is asked.
const running = new Map<string, Promise<GpuReport>>();

function noGpus(problem: string): GpuReport {
  return { driverVersion: null, cudaVersion: null, gpus: [], problem };
}

function describeStartFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT'
    ? 'nvidia-smi is not installed: no NVIDIA driver on this machine.'
    : `nvidia-smi cannot be run: ${message}.`;
}

async function ask(args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Answer> {
  const lines: string[] = [];
  let length = 0;
  try {
    const result = await exec({
      argv: ['nvidia-smi', ...args],
      env,
      signal,
      // It holds nothing that it could put in order.
      killGraceMs: 0,
      onStdoutLine: (line) => {
        length += line.length + 1;
        if (length <= maxOutputLength) lines.push(line);
      },
    });
    const text = lines.join('\n');
    return { text, problem: result.exitCode === 0 ? null : describeSmiFailure(result, text) };
  } catch (error) {
    return { text: '', problem: describeStartFailure(error) };
  }
}

async function askReport(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<GpuReport> {
  const { text, problem } = await ask(['-q', '-x'], env, signal);
  const report = parseNvidiaSmi(text);
  if (report === null) return noGpus(problem ?? 'nvidia-smi did not print a GPU report.');
  // Some errors (a corrupted infoROM) come with a whole report.
  return { ...report, problem: problem ?? report.problem };
}

function lacksMigUuid(gpu: GpuFacts): boolean {
  return gpu.mig.devices.some((device) => device.uuid === null);
}

/** The same report with the UUIDs of MIG devices that only `nvidia-smi -L` tells. */
async function withMigUuids(
  report: GpuReport,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<GpuReport> {
  const uuids = parseGpuList((await ask(['-L'], env, signal)).text);
  const gpus = report.gpus.map((gpu) => ({
    ...gpu,
    mig: {
      ...gpu.mig,
      devices: gpu.mig.devices.map((device) => ({
        ...device,
        uuid: device.uuid ?? uuids.get(gpu.uuid ?? '')?.get(device.index) ?? null,
      })),
    },
  }));
  return { ...report, gpus };
}

/** The answer, or what `late` gives when the signal comes first: what does not end is not waited for. */
function orWhenAborted<T>(answer: Promise<T>, signal: AbortSignal, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      resolve(late());
    });
    answer.then(resolve, reject);
  });
}

function start(env: NodeJS.ProcessEnv, limitMs: number, ended: () => void): Promise<GpuReport> {
  const timeout = new AbortController();
  const { signal } = timeout;
  const timer = setTimeout(() => {
    timeout.abort();
  }, limitMs);
  let known = noGpus(`nvidia-smi did not answer within ${limitMs / 1000} s: the NVIDIA driver hangs.`);
  const readAll = async (): Promise<GpuReport> => {
    try {
      known = await askReport(env, signal);
      return known.gpus.some(lacksMigUuid) ? await withMigUuids(known, env, signal) : known;
    } finally {
      clearTimeout(timer);
      ended();
    }
  };
  return orWhenAborted(readAll(), signal, () => known);
}

/**
 * GPUs of this machine as nvidia-smi on the PATH of `env` describes them, within 3 s whatever the driver does;
 * `limitMs` (default 2500) is how long nvidia-smi may take.
 * Never rejects: `problem` of the report says what went wrong. Calls that overlap share one nvidia-smi,
 * and while one that hangs cannot be killed, each further call has its answer at once.
 */
export function readGpus(env: NodeJS.ProcessEnv, limitMs = usualLimitMs): Promise<GpuReport> {
  const key = env['PATH'] ?? '';
  const shared = running.get(key);
  if (shared !== undefined) return shared;
  const report = start(env, limitMs, () => {
    running.delete(key);
  });
  running.set(key, report);
  return report;
}
