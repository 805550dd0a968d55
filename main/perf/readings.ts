import { setTimeout as sleep } from 'node:timers/promises';
import type { GpuReading } from '../contract/machine';
import { isThrottled } from '../contract/measured/detail-columns';
import type { LoadPoint } from '../contract/measured/results';
import { largestOf } from '../domain/statistics';
import { requestTriton } from '../triton/http';
import { parseMetrics, type ReadMetrics, readMetrics } from '../triton/metrics';

const usualIntervalMs = 1000;
const longestAnswerMs = 5000;

export interface ReadingSources {
  /** `host:port` of Triton's metrics, or null. */
  readonly metricsAddress: string | null;
  readonly metricsPath?: string | undefined;
  /** Polling interval in ms; default 1000. */
  readonly intervalMs?: number | undefined;
  /** Polls the GPUs of Triton's machine until the signal fires; absent: another machine. */
  readonly watchGpus?:
    ((onReading: (reading: GpuReading) => void, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Timestamps in milliseconds. */
interface Readings {
  readonly metrics: { readonly atMs: number; readonly value: ReadMetrics }[];
  readonly gpus: { readonly atMs: number; readonly value: GpuReading }[];
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function most(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : largestOf(known);
}

/** Triton's metrics lack clocks and throttle reasons. */
const fromMetrics = ({ gpus }: ReadMetrics): readonly GpuReading[] =>
  gpus.map(({ powerWatts, ...gpu }) => ({ ...gpu, powerW: powerWatts, smClockMHz: null, throttles: [] }));

function gpuOf(uuid: string, readings: readonly GpuReading[], hasClocks: boolean) {
  const throttled = readings.filter(({ throttles }) => throttles.length > 0);
  return {
    uuid,
    utilization: mean(readings.map((reading) => reading.utilization)),
    powerW: mean(readings.map((reading) => reading.powerW)),
    maxMemoryBytes: most(readings.map((reading) => reading.memoryUsedBytes)),
    totalMemoryBytes: most(readings.map((reading) => reading.memoryTotalBytes)),
    ...(hasClocks
      ? {
          smClockMHz: mean(readings.map((reading) => reading.smClockMHz)),
          throttledShare: throttled.length / readings.length,
          throttledBy: [...new Set(throttled.flatMap(({ throttles }) => throttles))],
        }
      : {}),
  };
}

/** Triton names the GPUs that it may use; the machine may have others. */
function gpusOf(readings: Readings, counted: (atMs: number) => boolean): NonNullable<LoadPoint['gpus']> {
  const counts = ({ atMs }: { readonly atMs: number }) => counted(atMs);
  const uuids = new Set(readings.metrics.flatMap(({ value }) => value.gpus.map(({ uuid }) => uuid)));
  const fromServer = readings.metrics.filter(counts).flatMap(({ value }) => fromMetrics(value));
  const watched = readings.gpus.filter(counts).map(({ value }) => value);
  return [...uuids].flatMap((uuid) => {
    const own = watched.filter((reading) => reading.uuid === uuid);
    const coarse = fromServer.filter((reading) => reading.uuid === uuid);
    if (own.length > 0) return [gpuOf(uuid, own, true)];
    return coarse.length > 0 ? [gpuOf(uuid, coarse, false)] : [];
  });
}

/** Readings at the times that count. */
function readingsOf(
  readings: Readings,
  counts: (atMs: number) => boolean,
): Pick<LoadPoint, 'gpus' | 'serverCpuShare'> {
  const gpus = gpusOf(readings, counts);
  const read = readings.metrics.filter(({ atMs }) => counts(atMs)).map(({ value }) => value.other);
  const cpu = mean(read.map((other) => other['nv_cpu_utilization'] ?? null));
  return {
    ...(gpus.length === 0 ? {} : { gpus }),
    ...(cpu === null ? {} : { serverCpuShare: Math.min(1, cpu) }),
  };
}

async function readServer(address: string, path: string, signal: AbortSignal): Promise<ReadMetrics> {
  const call = { method: 'GET', path, timeoutMs: longestAnswerMs, signal, tls: null } as const;
  const response = await requestTriton(address, call);
  return readMetrics(parseMetrics(response.status === 200 ? response.body.toString('utf8') : ''));
}

/** Polls until the signal fires; failures of a source are ignored. */
async function read(sources: ReadingSources, readings: Readings, signal: AbortSignal): Promise<void> {
  const { metricsAddress, metricsPath = '/metrics', intervalMs = usualIntervalMs, watchGpus } = sources;
  if (metricsAddress === null) return;
  let watch: Promise<void> | null = null;
  while (!signal.aborted) {
    const value = await readServer(metricsAddress, metricsPath, signal).catch(() => null);
    if (value !== null) readings.metrics.push({ atMs: performance.now(), value });
    if (watch === null && watchGpus !== undefined && value !== null && value.gpus.length > 0) {
      const onReading = (reading: GpuReading) => {
        readings.gpus.push({ atMs: performance.now(), value: reading });
      };
      watch = watchGpus(onReading, signal);
    }
    // The signal only ends the wait.
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
  await watch;
}

/** Utilization above this counts as busy. */
const idleBelow = 0.05;

/** Triton computed half of the time with idle GPUs, as ONNX Runtime does when it selects kernels (seen on an H200). */
function leavesIdle(
  gpus: NonNullable<LoadPoint['gpus']>,
  { inferencesPerSecond, batchSize, meanServerBatch, serverComputeInferUs }: LoadPoint,
): boolean {
  // Triton counts the batch's whole time for each of its requests.
  const perExecution = Math.max(batchSize, meanServerBatch ?? 0);
  const computing = ((inferencesPerSecond / perExecution) * (serverComputeInferUs ?? 0)) / 1e6;
  const areIdle = gpus.every(({ utilization }) => utilization !== null && utilization < idleBelow);
  return gpus.length > 0 && areIdle && computing >= 0.5;
}

export function openReadings(sources: ReadingSources) {
  const readings: Readings = { metrics: [], gpus: [] };
  const end = new AbortController();
  const reading = read(sources, readings, end.signal);
  return {
    /** Adds readings at the counted times, in `performance.now()` milliseconds. */
    added(point: LoadPoint, counts: (atMs: number) => boolean): LoadPoint {
      const counted = readingsOf(readings, counts);
      const flags = [...point.flags];
      if (counted.gpus?.some(isThrottled) === true) flags.push('clocks-throttled');
      if (counted.gpus !== undefined && leavesIdle(counted.gpus, point)) flags.push('gpu-idle');
      return { ...point, ...counted, flags };
    },
    async end() {
      end.abort();
      await reading;
    },
  };
}

/** Interval of a window that just ended. */
export const windowSpan = (durationUs: number): readonly [fromMs: number, toMs: number] => {
  const toMs = performance.now();
  return [toMs - durationUs / 1000, toMs];
};

type Measure<Result> = (onWindow: (durationUs: number | null) => void) => Promise<Result>;

/**
 * Polls during `measure`. @returns its result, and a function that adds readings to a level, from its first window on
 * if windows are reported. Throws errors of `measure`.
 * @param measure gets a callback for each window's end, with its length in microseconds (null: unknown)
 */
export async function readWhile<Result>(
  sources: ReadingSources,
  measure: Measure<Result>,
): Promise<{ readonly result: Result; readonly added: (point: LoadPoint) => LoadPoint }> {
  const open = openReadings(sources);
  let startMs = -Infinity;
  try {
    const result = await measure((durationUs) => {
      if (startMs === -Infinity && durationUs !== null) [startMs] = windowSpan(durationUs);
    });
    return { result, added: (point) => open.added(point, (atMs) => atMs >= startMs) };
  } finally {
    await open.end();
  }
}

/** See {@link readWhile}. */
export async function withReadings(sources: ReadingSources, measure: Measure<LoadPoint>): Promise<LoadPoint> {
  const { result, added } = await readWhile(sources, measure);
  return added(result);
}
