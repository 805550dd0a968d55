import type { GpuFacts, GpuReport } from '../contract/machine';
import { fileLimits } from '../contract/reader-limits';
import { exec, type ExecResult } from '../platform/exec';

const maxMessageLength = 400;
const maxStderrLines = 60;
const reportEnd = '</nvidia_smi_log>';

// Source: "RETURN VALUE" in nvidia-smi(1).
const meanings: Readonly<Record<number, string>> = {
  3: 'the operation is not available on this device',
  4: 'this user has no permission to access the driver',
  6: 'no NVIDIA GPU was found',
  8: 'the external power cables of a GPU are not attached',
  9: 'the NVIDIA driver is not loaded',
  10: 'the kernel found an interrupt problem with a GPU',
  12: 'the NVML library of the driver is missing',
  13: 'the NVML library is older than nvidia-smi',
  14: 'the infoROM of a GPU is corrupted',
  15: 'a GPU has fallen off the bus',
};

/** One sentence with the output apart from the report. */
function describeSmiFailure(
  result: Pick<ExecResult, 'exitCode' | 'signal' | 'stderrTail'>,
  stdout: string,
): string {
  const start = stdout.indexOf('<?xml');
  const end = stdout.lastIndexOf(reportEnd);
  const besides =
    start === -1 || end < start ? [stdout] : [stdout.slice(0, start), stdout.slice(end + reportEnd.length)];
  const said = [...besides, ...result.stderrTail]
    .join(' ')
    .slice(0, 4 * maxMessageLength)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxMessageLength);
  const meaning = result.exitCode === null ? undefined : meanings[result.exitCode];
  const ending =
    result.exitCode === null
      ? `was ended by ${result.signal ?? 'a signal'}`
      : `failed with exit code ${result.exitCode}`;
  return [
    `nvidia-smi ${ending}`,
    meaning === undefined ? '' : ` (${meaning})`,
    said === '' ? '.' : `: ${said}`,
  ].join('');
}

/** UUIDs of MIG devices by GPU UUID and index. */
type MigUuids = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** Parses `nvidia-smi -L`; skips other lines. */
export function parseGpuList(text: string): MigUuids {
  const found = new Map<string, Map<number, string>>();
  let devices: Map<number, string> | undefined;
  for (const line of text.split('\n')) {
    const gpu = /^GPU \d+: .*\(UUID: (GPU-[^)]+)\)\s*$/.exec(line);
    const mig = /^ +MIG \S+ +Device +(\d{1,3}): \(UUID: (MIG-[^)]+)\)/.exec(line);
    if (gpu?.[1] !== undefined) {
      devices = new Map();
      found.set(gpu[1], devices);
    } else if (mig?.[1] !== undefined && mig[2] !== undefined) {
      devices?.set(Number(mig[1]), mig[2]);
    }
  }
  return found;
}

/** Within the 3 s for a whole response. */
const usualLimitMs = 2500;
const maxOutputLength = fileLimits.nvidiaSmi.bytes;
const notInstalled = 'nvidia-smi is not installed: no NVIDIA driver on this machine.';
/** Shell exit code for "command not found". */
const noProgram = 127;

/** Output of a call, and why it is unreliable. */
export interface SmiAnswer {
  readonly text: string;
  readonly problem: string | null;
}

// Per PATH. A hung driver can make nvidia-smi unkillable, so no second one is started meanwhile.
const running = new Map<string, Promise<GpuReport>>();

function noGpus(problem: string): GpuReport {
  return { driverVersion: null, cudaVersion: null, gpus: [], problem };
}

function describeStartFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? notInstalled : `nvidia-smi cannot be run: ${message}.`;
}

/** Interprets a shell call of nvidia-smi on any machine. */
export function smiAnswer(call: {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}): SmiAnswer {
  const { exitCode, stdout, stderr } = call;
  if (exitCode === noProgram) return { text: '', problem: notInstalled };
  const failure = { exitCode, signal: null, stderrTail: stderr.split('\n').slice(-maxStderrLines) };
  return { text: stdout, problem: exitCode === 0 ? null : describeSmiFailure(failure, stdout) };
}

async function ask(args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<SmiAnswer> {
  const lines: string[] = [];
  let length = 0;
  try {
    const result = await exec({
      argv: ['nvidia-smi', ...args],
      env,
      signal,
      // Nothing to clean up.
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

type AskSmi = (args: readonly string[]) => Promise<SmiAnswer>;

async function askReport(askSmi: AskSmi): Promise<GpuReport> {
  const { text, problem } = await askSmi(['-q', '-x']);
  const { parseNvidiaSmi } = await import('./nvidia-smi');
  const report = parseNvidiaSmi(text);
  if (report === null) return noGpus(problem ?? 'nvidia-smi did not print a GPU report.');
  // Some errors (corrupted infoROM) come with a full report.
  return { ...report, problem: problem ?? report.problem };
}

function lacksMigUuid(gpu: GpuFacts): boolean {
  return gpu.mig.devices.some((device) => device.uuid === null);
}

/** Adds MIG UUIDs, which only `nvidia-smi -L` prints. */
async function withMigUuids(report: GpuReport, askSmi: AskSmi): Promise<GpuReport> {
  const uuids = parseGpuList((await askSmi(['-L'])).text);
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

/** Rejects only if `askSmi` does. */
export async function gpuReportBy(askSmi: AskSmi): Promise<GpuReport> {
  const report = await askReport(askSmi);
  return report.gpus.some(lacksMigUuid) ? withMigUuids(report, askSmi) : report;
}

/** Does not wait beyond the signal. */
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
  const timer = setTimeout(() => timeout.abort(), limitMs);
  let known = noGpus(`nvidia-smi did not answer within ${limitMs / 1000} s: the NVIDIA driver hangs.`);
  const readAll = async (): Promise<GpuReport> => {
    try {
      const askHere: AskSmi = (args) => ask(args, env, signal);
      known = await askReport(askHere);
      return known.gpus.some(lacksMigUuid) ? await withMigUuids(known, askHere) : known;
    } finally {
      clearTimeout(timer);
      ended();
    }
  };
  return orWhenAborted(readAll(), signal, () => known);
}

/**
 * GPUs of this machine within 3 s; `limitMs` (default 2500) limits nvidia-smi. Never rejects; see `problem`. Concurrent
 * calls share one process, and while one hangs, calls return at once.
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
