import type { GpuReading } from '../contract/machine';
import type { TakenMemory } from '../contract/measured/model-memory';
import { requestTriton } from '../triton/http';
import { parseMetrics, readMetrics } from '../triton/metrics';
import type { ServerHandle } from './engine';

const answerMs = 5000;

/** UUIDs of the GPUs that a Triton may use; empty on a CPU, and where its metrics do not say. */
async function gpusOf({ metricsAddress }: ServerHandle): Promise<ReadonlySet<string>> {
  if (metricsAddress === null) return new Set();
  const call = { method: 'GET', path: '/metrics', timeoutMs: answerMs, tls: null } as const;
  const response = await requestTriton(metricsAddress, call).catch(() => null);
  if (response?.status !== 200) return new Set();
  return new Set(readMetrics(parseMetrics(response.body.toString('utf8'))).gpus.map(({ uuid }) => uuid));
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

const less = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;

/** What was taken between two readings. */
export const differenceOf = (before: TakenMemory, after: TakenMemory): TakenMemory => ({
  hostBytes: less(after.hostBytes, before.hostBytes),
  gpuBytes: less(after.gpuBytes, before.gpuBytes),
});
