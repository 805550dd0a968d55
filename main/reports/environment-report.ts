import type { Environment } from '../contract/results';
import { formatBytes, formatCount, missing } from './number-format';
import type { NamedText } from './report';

/** Hardware and software, without the Python packages. */
export function environmentReport(environment: Environment): readonly NamedText[] {
  const { gpus } = environment;
  return [
    { name: 'Engine', value: environment.engine },
    { name: 'Triton', value: environment.tritonVersion ?? missing },
    { name: 'Image', value: environment.image ?? 'none (no container)' },
    { name: 'Operating system', value: environment.os },
    { name: 'CPU', value: `${environment.cpu}, ${formatCount(environment.cpuCount)} logical cores` },
    { name: 'Memory', value: formatBytes(environment.memoryBytes) },
    ...(gpus.length === 0 ? [{ name: 'GPU', value: 'none' }] : []),
    ...gpus.map((gpu, index) => ({
      name: gpus.length === 1 ? 'GPU' : `GPU ${index}`,
      value: `${gpu.name}, ${formatBytes(gpu.memoryBytes)}, driver ${gpu.driver}, ${gpu.uuid}`,
    })),
    { name: 'Workbench', value: environment.workbenchVersion },
  ];
}

export function packagesReport(environment: Environment): readonly NamedText[] {
  return Object.entries(environment.packages)
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
