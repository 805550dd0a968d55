import { type MachineStatus, toolIds, toolList } from '../../../main/contract/machine';
import { inContainers } from '../../../main/contract/run/engine-kinds';

export interface MachineRow {
  readonly id: 'tools' | 'docker' | 'gpu';
  readonly title: string;
  /** `absent`: not needed for a first run. */
  readonly state: 'here' | 'missing' | 'absent';
  readonly text: string;
}

type Seen = Pick<MachineStatus, 'tools' | 'engines' | 'gpus'>;

function toolsRow({ tools }: Seen): MachineRow {
  const row = { id: 'tools', title: 'Tools' } as const;
  return tools.missing.length === 0
    ? { ...row, state: 'here', text: `Installed: ${toolList(toolIds)}.` }
    : { ...row, state: 'missing', text: `Not installed: ${toolList(tools.missing)}.` };
}

function dockerRow({ engines }: Seen): MachineRow {
  const docker = engines.find((engine) => inContainers(engine));
  const row = { id: 'docker', title: 'Docker' } as const;
  return docker?.available === true
    ? { ...row, state: 'here', text: `Version ${docker.version ?? 'unknown'}.` }
    : { ...row, state: 'absent', text: 'Not available. Needed only for runs in containers and on GPUs.' };
}

function gpuRow({ gpus: { gpus } }: Seen): MachineRow {
  const row = { id: 'gpu', title: 'GPU' } as const;
  return gpus.length === 0
    ? { ...row, state: 'absent', text: 'No NVIDIA GPU detected. Runs use the CPU.' }
    : { ...row, state: 'here', text: `${gpus.map(({ name }) => name).join(', ')}.` };
}

export const machineRows = (machine: Seen): readonly MachineRow[] => [
  toolsRow(machine),
  dockerRow(machine),
  gpuRow(machine),
];
