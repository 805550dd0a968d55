import { setTimeout as sleep } from 'node:timers/promises';
import type { GpuReading } from '../contract/machine';
import type { TakenMemory } from '../contract/measured/model-memory';
import { sameValue } from '../contract/trees';
import { smallestOf } from '../domain/statistics';
import { requestTriton } from '../triton/http';
import { parseMetrics, type ReadMetrics, readMetrics } from '../triton/metrics';
import type { ServerHandle } from './engine';

const answerMs = 5000;

const less = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;

type Measured = Pick<ServerHandle, 'metricsAddress'>;

/** null: they are not served. */
async function metricsOf({ metricsAddress }: Measured): Promise<ReadMetrics | null> {
  if (metricsAddress === null) return null;
  const call = { method: 'GET', path: '/metrics', timeoutMs: answerMs, tls: null } as const;
  const response = await requestTriton(metricsAddress, call).catch(() => null);
  return response?.status === 200 ? readMetrics(parseMetrics(response.body.toString('utf8'))) : null;
}

/** UUIDs of the GPUs that a Triton may use; empty on a CPU, and where its metrics do not say. */
const gpusOf = async (server: Measured): Promise<ReadonlySet<string>> =>
  new Set((await metricsOf(server))?.gpus.map(({ uuid }) => uuid));

/** As Triton's metrics report it: what its machine has left, and its GPU that has least; null: not reported. */
export async function readServerRoom(server: Measured): Promise<TakenMemory> {
  const { gpus = [], other = {} } = (await metricsOf(server)) ?? {};
  const total = other['nv_cpu_memory_total_bytes'] ?? 0;
  const used = other['nv_cpu_memory_used_bytes'];
  const free = gpus.map(({ memoryTotalBytes, memoryUsedBytes }) => less(memoryTotalBytes, memoryUsedBytes));
  const known = free.filter((bytes) => bytes !== null);
  return {
    hostBytes: total === 0 || used === undefined ? null : total - used,
    gpuBytes: known.length === 0 || known.length < free.length ? null : smallestOf(known),
  };
}

/** Memory in use on its machine, and on its GPUs, by whatever uses it, as Triton's metrics report it; null: not reported. */
export async function readMachineMemory(server: Measured): Promise<TakenMemory> {
  const { gpus = [], other = {} } = (await metricsOf(server)) ?? {};
  const used = gpus.map(({ memoryUsedBytes }) => memoryUsedBytes).filter((bytes) => bytes !== null);
  const isWhole = used.length > 0 && used.length === gpus.length;
  return {
    hostBytes: other['nv_cpu_memory_used_bytes'] ?? null,
    gpuBytes: isWhole ? used.reduce((sum, bytes) => sum + bytes, 0) : null,
  };
}

/** Triton reads the memory of its machine every two seconds (`--metrics-interval-ms`). */
const staleMs = 2500;

/** What is left after a load: waits until Triton has read it anew. */
export async function readRoomAfterLoad(server: Measured, signal: AbortSignal): Promise<TakenMemory> {
  const stale = await readServerRoom(server);
  const deadline = performance.now() + staleMs;
  for (;;) {
    const room = await readServerRoom(server);
    if (!sameValue(room, stale) || signal.aborted || performance.now() > deadline) return room;
    await sleep(100);
  }
}

/**
 * Memory in use: of Triton's processes on the host, and of its GPUs by whatever uses them.
 * @param readGpus one reading of each GPU of its machine
 */
export async function readServerMemory(
  server: ServerHandle,
  readGpus: () => Promise<readonly GpuReading[]>,
): Promise<TakenMemory> {
  const uuids = await gpusOf(server);
  const [hostBytes, readings] = await Promise.all([
    server.readMemory?.().catch(() => null) ?? null,
    uuids.size === 0 ? [] : readGpus(),
  ]);
  const used = readings.filter(({ uuid }) => uuids.has(uuid)).map(({ memoryUsedBytes }) => memoryUsedBytes);
  const known = used.filter((bytes) => bytes !== null);
  const isWhole = known.length > 0 && known.length === uuids.size;
  return { hostBytes, gpuBytes: isWhole ? known.reduce((sum, bytes) => sum + bytes, 0) : null };
}

/** Memory of its machine. @param hostBytes of this machine, or of the Docker Engine's */
export async function readServerTotals(
  server: ServerHandle,
  readGpus: () => Promise<readonly GpuReading[]>,
  hostBytes: number,
): Promise<TakenMemory> {
  const uuids = await gpusOf(server);
  const readings = uuids.size === 0 ? [] : await readGpus();
  const totals = readings
    .filter(({ uuid }) => uuids.has(uuid))
    .flatMap(({ memoryTotalBytes }) => memoryTotalBytes ?? []);
  const isWhole = totals.length > 0 && totals.length === uuids.size;
  return { hostBytes, gpuBytes: isWhole ? totals.reduce((sum, bytes) => sum + bytes, 0) : null };
}

/** What was taken between two readings. */
export const differenceOf = (before: TakenMemory, after: TakenMemory): TakenMemory => ({
  hostBytes: less(after.hostBytes, before.hostBytes),
  gpuBytes: less(after.gpuBytes, before.gpuBytes),
});
