import { setTimeout as sleep } from 'node:timers/promises';
import type { GpuReading } from '../contract/machine';
import { exec } from '../platform/exec';

const intervalMs = 500;
/** On other machines each reading is a command. */
const pollMs = 1000;

/** By NVML bit. Idle, application and display clocks are not throttling. Source: nvml.h, "NvmlClocksEventReasons". */
const throttles: readonly (readonly [bit: number, reason: GpuReading['throttles'][number]])[] = [
  [0x04, 'power limit'],
  [0x08, 'hardware slowdown'],
  [0x20, 'temperature'],
  [0x40, 'temperature'],
  [0x80, 'power supply'],
];

const mebibyte = 1024 * 1024;

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : null;
}

const scaled = (value: number | null, factor: number): number | null =>
  value === null ? null : value * factor;

function throttlesOf(text: string | undefined): GpuReading['throttles'] {
  const bits = text !== undefined && /^0x[0-9a-f]{1,16}$/i.test(text) ? BigInt(text) : 0n;
  const reasons = throttles.filter(([bit]) => (bits & BigInt(bit)) !== 0n).map(([, reason]) => reason);
  return [...new Set(reasons)];
}

/** Parses a query line, or null. "[N/A]" is null. */
export function parseGpuReading(line: string): GpuReading | null {
  const [uuid, utilization, used, total, power, clock, reasons, ...rest] = line
    .split(',')
    .map((value) => value.trim());
  if (uuid === undefined || !/^GPU-[0-9a-f-]{8,64}$/i.test(uuid) || reasons === undefined || rest.length > 0)
    return null;
  return {
    uuid,
    utilization: scaled(numberOf(utilization), 0.01),
    memoryUsedBytes: scaled(numberOf(used), mebibyte),
    memoryTotalBytes: scaled(numberOf(total), mebibyte),
    powerW: numberOf(power),
    smClockMHz: numberOf(clock),
    throttles: throttlesOf(reasons),
  };
}

const columns = ['uuid', 'utilization.gpu', 'memory.used', 'memory.total', 'power.draw', 'clocks.sm'];
/** Renamed from `clocks_throttle_reasons` in driver 535. */
const reasonColumns = ['clocks_event_reasons.active', 'clocks_throttle_reasons.active'];

/** Polls local GPUs twice per second with one running `nvidia-smi`, until the signal fires. Silent without nvidia-smi. */
export async function watchGpus(
  env: NodeJS.ProcessEnv,
  onReading: (reading: GpuReading) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const reasons of reasonColumns) {
    const query = `--query-gpu=${[...columns, reasons].join(',')}`;
    const format = ['--format=csv,noheader,nounits', `--loop-ms=${intervalMs}`];
    const printed = { some: false };
    await exec({
      argv: ['nvidia-smi', query, ...format],
      env,
      signal,
      killGraceMs: 0,
      onStdoutLine: (line) => {
        const reading = parseGpuReading(line);
        // Further lines of the chunk after the abort.
        if (reading === null || signal.aborted) return;
        printed.some = true;
        onReading(reading);
      },
    }).catch(() => undefined);
    if (printed.some || signal.aborted) return;
  }
}

const readMs = 10_000;

/** One reading of each local GPU; none without nvidia-smi. */
export async function readGpus(env: NodeJS.ProcessEnv): Promise<readonly GpuReading[]> {
  for (const reasons of reasonColumns) {
    const query = `--query-gpu=${[...columns, reasons].join(',')}`;
    const readings: GpuReading[] = [];
    await exec({
      argv: ['nvidia-smi', query, '--format=csv,noheader,nounits'],
      env,
      signal: AbortSignal.timeout(readMs),
      onStdoutLine: (line) => readings.push(...[parseGpuReading(line) ?? []].flat()),
    }).catch(() => undefined);
    if (readings.length > 0) return readings;
  }
  return [];
}

const queryOf = (reasons: string): readonly string[] => [
  ...['nvidia-smi', `--query-gpu=${[...columns, reasons].join(',')}`, '--format=csv,noheader,nounits'],
];

const readingsIn = (printed: string | null): readonly GpuReading[] =>
  (printed ?? '').split('\n').flatMap((line) => parseGpuReading(line) ?? []);

/** One reading of each GPU of another machine; none without nvidia-smi. @param run executes a command there */
export async function readGpusBy(
  run: (argv: readonly string[]) => Promise<string>,
): Promise<readonly GpuReading[]> {
  for (const reasons of reasonColumns) {
    const found = readingsIn(await run(queryOf(reasons)).catch(() => null));
    if (found.length > 0) return found;
  }
  return [];
}

/** Polls another machine once per second. @param run executes a command there; failures are skipped */
export async function pollGpus(
  run: (argv: readonly string[]) => Promise<string>,
  onReading: (reading: GpuReading) => void,
  signal: AbortSignal,
): Promise<void> {
  let [reasons = ''] = reasonColumns;
  while (!signal.aborted) {
    const printed = await run(queryOf(reasons)).catch(() => null);
    const found = readingsIn(printed);
    for (const reading of found) onReading(reading);
    // Older drivers lack the column.
    if (printed !== null && found.length === 0)
      reasons = reasonColumns.find((one) => one !== reasons) ?? reasons;
    // The signal only ends the wait.
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** GPU memory by process id of this machine, bytes; empty without nvidia-smi, and where it does not say. */
export async function readGpuProcesses(env: NodeJS.ProcessEnv): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  await exec({
    argv: ['nvidia-smi', '--query-compute-apps=pid,used_memory', '--format=csv,noheader,nounits'],
    env,
    signal: AbortSignal.timeout(readMs),
    onStdoutLine: (line) => {
      const [pid = null, used = null] = line.split(',').map((value) => numberOf(value.trim()));
      // On several GPUs it has several lines.
      if (pid !== null && used !== null) found.set(pid, (found.get(pid) ?? 0) + used * mebibyte);
    },
  }).catch(() => undefined);
  return found;
}
