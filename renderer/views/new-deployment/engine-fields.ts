import type { EngineStatus } from '../../../main/contract/engine-status';
import type { Field, Option } from './field';

/** Engines that the form offers; a remote one needs an address and is given on the command line. */
const offeredEngines = [
  { value: 'local', label: 'Local Triton' },
  { value: 'docker', label: 'Docker containers' },
] as const;

/** The choice of engine; one that is not available stands there with the reason. */
export function engineField(engines: readonly EngineStatus[]): Field {
  const options = offeredEngines.map((offered): Option => {
    const status = engines.find((engine) => engine.kind === offered.value);
    // One that nobody has looked at yet is not refused.
    return status === undefined || status.available ? offered : { ...offered, why: status.note };
  });
  const refused = options.filter((option) => option.why !== undefined);
  return {
    path: 'engine.kind',
    label: 'Engine',
    term: 'engine',
    help:
      refused.length === 0
        ? 'Where Triton and the client work.'
        : refused.map((option) => `${option.label}: ${option.why ?? ''}`).join(' '),
    control: { kind: 'choice', options },
  };
}

/** What containers need to be told. */
export const dockerFields: readonly Field[] = [
  {
    path: 'engine.images',
    label: 'Images',
    term: 'images',
    help: 'Built here for CPUs, or NVIDIA’s for GPUs.',
    control: {
      kind: 'choice',
      options: [
        { value: 'cpu', label: 'Built here, CPU' },
        { value: 'ngc', label: 'NVIDIA NGC, GPU' },
      ],
      none: 'By the GPUs given',
    },
  },
  {
    path: 'engine.release',
    label: 'NGC release',
    term: 'container_version',
    help: 'Of all NVIDIA images. Empty: the preset’s own.',
    control: { kind: 'text', placeholder: '26.07' },
  },
  {
    path: 'engine.gpus',
    label: 'GPUs',
    term: 'NVIDIA_VISIBLE_DEVICES',
    help: '“all”, or UUIDs of GPUs and MIG devices, comma-separated. Empty: none.',
    control: { kind: 'texts', placeholder: 'none' },
  },
  {
    path: 'engine.shmSizeMiB',
    label: 'Shared memory',
    term: 'shm-size',
    help: '/dev/shm of the Triton container.',
    control: { kind: 'integer', min: 1, suffix: ' MiB' },
  },
];
