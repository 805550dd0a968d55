import type { ImportSource } from '../contract/imported';
import { importKindText } from '../contract/imported';
import { formatBytes, formatCount, missing } from '../contract/numbers';
import type { Environment } from '../contract/results';
import type { NamedText } from './report';

const unknown = 'not known: not measured here';

/** What is known of where the figures of a file come from. */
export function importReport(source: ImportSource, environment: Environment): readonly NamedText[] {
  return [
    { name: 'Imported from', value: source.fileName },
    { name: 'Tool', value: importKindText[source.kind] },
    { name: 'Size', value: `${formatCount(source.sizeBytes)} bytes` },
    { name: 'SHA-256', value: source.sha256 },
    ...['Triton', 'Image', 'Operating system', 'CPU', 'Memory'].map((name) => ({ name, value: unknown })),
    ...(environment.gpus.length === 0
      ? [{ name: 'GPU', value: unknown }]
      : environment.gpus.map(({ uuid, memoryBytes }) => ({
          name: 'GPU',
          value: `${uuid}, ${memoryBytes === 0 ? 'memory not known' : formatBytes(memoryBytes)}`,
        }))),
    { name: 'Imported with workbench', value: environment.workbenchVersion },
  ];
}

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
