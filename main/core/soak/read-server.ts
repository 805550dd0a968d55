import { isLoopback } from '../../contract/address';
import type { SoakReading } from '../../contract/study/soak';
import { portOwner } from '../../engine/local/listening-sockets';
import { readMachineMemory } from '../../engine/server-memory';
import { readGpuProcesses } from '../../machine/watch-gpus';
import { type ProcessReading, readProcesses, withDescendants } from '../../platform/process-readings';
import { machineReading, serverReadings } from '../../studies/soak/server-readings';
import type { TritonClient } from '../../triton/client';

interface Source {
  /** null: its processes cannot be read. Throws where they cannot this time. */
  readonly processes: (() => Promise<readonly ProcessReading[]>) | null;
  /** Process ids are those of this machine, as those of nvidia-smi. */
  readonly isHere: boolean;
  readonly metricsAddress: string | null;
  readonly env: NodeJS.ProcessEnv;
}

/** Without nvidia-smi, and in containers, the memory of whole GPUs stands for that of processes. */
export function readingsFrom({
  processes,
  isHere,
  metricsAddress,
  env,
}: Source): () => Promise<readonly SoakReading[]> {
  // Asked for once where it has no answer.
  let hasGpus = isHere;
  return async () => {
    const gpu = hasGpus ? await readGpuProcesses(env) : new Map<number, number>();
    hasGpus = gpu.size > 0;
    const own = processes === null ? [] : serverReadings(await processes(), gpu);
    if (own.length > 0 && hasGpus) return own;
    const { hostBytes, gpuBytes } = await readMachineMemory({ metricsAddress });
    const isKnown = own.length === 0 ? hostBytes !== null || gpuBytes !== null : gpuBytes !== null;
    return isKnown ? [...own, machineReading(own.length === 0 ? hostBytes : null, gpuBytes)] : own;
  };
}

/** The processes of whatever listens at an address; null: on another machine, or of another user. */
export async function processesAt(httpAddress: string): Promise<Source['processes']> {
  if (!isLoopback(httpAddress)) return null;
  const owner = await portOwner(Number(httpAddress.slice(httpAddress.lastIndexOf(':') + 1)));
  const pid = owner?.pid ?? null;
  return pid === null ? null : async () => readProcesses(await withDescendants(pid));
}

/** Answered requests of a model, all versions together, since it was loaded; null: not known. */
export const answeredRequests = async (client: TritonClient, model: string): Promise<number | null> => {
  const statistics = await client.modelStatistics(model).catch(() => null);
  return statistics === null ? null : statistics.reduce((sum, { success }) => sum + success.count, 0);
};
