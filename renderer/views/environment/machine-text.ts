import type { DockerFacts, HostFacts } from '../../../main/contract/machine';
import type { Environment } from '../../../main/contract/measured/results';
import { formatBytes, formatFixed } from '../../../main/contract/numbers';

type FactList = readonly (readonly [name: string, value: string])[];

export const machineFacts = (environment: Environment, host: HostFacts): FactList => [
  ['System', environment.os],
  ['Processor', environment.cpu],
  ['CPUs', `${environment.cpuCount}, load ${formatFixed(host.loadAverage, 1)}`],
  ['Memory', `${formatBytes(environment.memoryBytes)}, ${formatBytes(host.memoryFreeBytes)} free`],
  ['/dev/shm', host.sharedMemoryBytes === null ? 'none' : formatBytes(host.sharedMemoryBytes)],
  ...host.disks.map(
    ({ path, freeBytes, totalBytes }) =>
      [path, `${formatBytes(freeBytes)} free of ${formatBytes(totalBytes)}`] as const,
  ),
];

const listed = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.join(', '));

export function dockerFacts(docker: DockerFacts): FactList {
  if (!docker.reachable) return [['Host', docker.host]];
  const free = docker.rootFreeBytes === null ? '' : `, ${formatBytes(docker.rootFreeBytes)} free`;
  return [
    ['Host', docker.host],
    ['Server', docker.serverVersion],
    ['API', docker.apiVersion],
    ['Runtimes', listed(docker.runtimes)],
    ['CDI devices', docker.cdiDevices === null ? 'not listed by this version' : listed(docker.cdiDevices)],
    ['Images in', `${docker.rootDir}${free}`],
    ['Rootless', docker.rootless ? 'yes' : 'no'],
  ];
}
