import type { GpuReport } from '../machine';
import { formatBytes, missing } from '../numbers';
import type { HostStatus } from './hosts';

/** "2 × NVIDIA A10G (22.5 GiB), Tesla T4"; "none", or that it is not known. Pure. */
export function gpusText(report: GpuReport | null): string {
  if (report === null) return 'not known';
  if (report.gpus.length === 0) return 'none';
  const counts = new Map<string, number>();
  for (const { name, memoryTotalBytes } of report.gpus) {
    const text = memoryTotalBytes === null ? name : `${name} (${formatBytes(memoryTotalBytes)})`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : `${count} × ${text}`)).join(', ');
}

/** "2 runs, 1 deployment"; null: nothing of this home, "not known" where Docker cannot be asked. Pure. */
export function usesText({
  runs,
  deployments,
}: Pick<Extract<HostStatus, { reachable: true }>, 'runs' | 'deployments'>): string | null {
  if (runs === null || deployments === null) return 'not known';
  const count = (ids: readonly string[], noun: string) =>
    ids.length === 0 ? [] : [`${ids.length} ${noun}${ids.length === 1 ? '' : 's'}`];
  const parts = [...count(runs, 'run'), ...count(deployments, 'deployment')];
  return parts.length === 0 ? null : parts.join(', ');
}

/** In a word or two, as in a table. Pure. */
export function hostStateText(status: HostStatus): string {
  if (!status.reachable) {
    switch (status.reason) {
      case 'host-key':
        return 'host key not known';
      case 'login':
        return 'login refused';
      case 'timeout':
        return 'no answer';
      case 'address':
      case 'other':
        return 'unreachable';
    }
  }
  return status.docker.reachable ? 'reachable' : 'no Docker';
}

type FactList = readonly (readonly [name: string, value: string])[];

/** What is known of a host that is reached, a line each. Pure. */
export function hostFacts(status: Extract<HostStatus, { reachable: true }>): FactList {
  const { docker, gpus, diskFreeBytes, images } = status;
  const rootless = docker.reachable && docker.rootless ? ', rootless' : '';
  return [
    ['Docker', docker.reachable ? `${docker.serverVersion}${rootless}` : docker.message],
    [
      'GPUs',
      gpus !== null && gpus.gpus.length === 0 && gpus.problem !== null ? gpus.problem : gpusText(gpus),
    ],
    ...(gpus === null || gpus.driverVersion === null ? [] : [['Driver', gpus.driverVersion] as const]),
    ['Disk', diskFreeBytes === null ? 'not known' : `${formatBytes(diskFreeBytes)} free`],
    ['Images', images === null ? missing : String(images)],
    ['In use by', usesText(status) ?? 'nothing of this workbench'],
  ];
}
