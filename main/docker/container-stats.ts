import { z } from 'zod';
import type { ContainerStats } from '../contract/docker';
import { ask, type DockerClient } from './client';

function readStats(client: DockerClient, id: string): Promise<unknown> {
  return ask(
    'read the statistics of the container',
    () => client.docker.getContainer(id).stats({ stream: false }),
    { timeoutMs: 10_000 },
  );
}

const cpuSchema = z.looseObject({
  cpu_usage: z.looseObject({ total_usage: z.number() }),
  system_cpu_usage: z.number().optional(),
  online_cpus: z.number().optional(),
});
const statsSchema = z.looseObject({
  cpu_stats: cpuSchema,
  precpu_stats: cpuSchema,
  memory_stats: z.looseObject({
    usage: z.number().optional(),
    limit: z.number().optional(),
    stats: z.record(z.string(), z.number()).optional(),
  }),
});

/** CPU and memory as `docker stats` computes them: CPU between the two samples, memory without reclaimable cache. */
function parseStats(id: string, answer: unknown): ContainerStats {
  const parsed = statsSchema.safeParse(answer);
  if (!parsed.success) return { id, cpuPercent: null, memoryBytes: null, memoryLimitBytes: null };
  const { cpu_stats: now, precpu_stats: before, memory_stats: memory } = parsed.data;
  const systemDelta = (now.system_cpu_usage ?? 0) - (before.system_cpu_usage ?? 0);
  const ownDelta = now.cpu_usage.total_usage - before.cpu_usage.total_usage;
  const known = before.system_cpu_usage !== undefined && systemDelta > 0 && now.online_cpus !== undefined;
  // cgroup v1: total_inactive_file, v2: inactive_file.
  const cache = memory.stats?.['total_inactive_file'] ?? memory.stats?.['inactive_file'] ?? 0;
  return {
    id,
    cpuPercent: known ? (ownDelta / systemDelta) * (now.online_cpus ?? 1) * 100 : null,
    memoryBytes: memory.usage === undefined ? null : Math.max(0, memory.usage - cache),
    memoryLimitBytes: memory.limit ?? null,
  };
}

/** Throws docker-unreachable, docker-failed, container-unknown. */
export const readContainerStats = async (client: DockerClient, id: string): Promise<ContainerStats> =>
  parseStats(id, await readStats(client, id));

/** Of a container that does not answer. */
export const unknownStats = (id: string): ContainerStats => parseStats(id, null);
