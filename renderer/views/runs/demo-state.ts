import { type MachineStatus, toolList } from '../../../main/contract/machine';
import { inContainers } from '../../../main/contract/run/engine-kinds';

interface DemoState {
  readonly why: string | null;
  readonly canInstall: boolean;
  readonly canUseDocker: boolean;
}

type Seen = Pick<MachineStatus, 'engines' | 'tools'>;

export function demoState(machine: Seen | null): DemoState {
  const missing = machine?.tools.missing.filter((tool) => tool !== 'perf-analyzer') ?? [];
  if (machine === null || missing.length === 0) return { why: null, canInstall: false, canUseDocker: false };
  const canUseDocker = machine.engines.some((engine) => inContainers(engine) && engine.available);
  const { installable } = machine.tools;
  const [it, them] = missing.length === 1 ? ['It', 'it'] : ['They', 'them'];
  const install = installable ? `Install ${them} first` : `${it} can be installed on Linux only`;
  const ways = `${install}${canUseDocker ? ', or start the demo in Docker containers, whose images are built first if they are missing' : ''}`;
  return {
    why: `The demo cannot start on this machine. Not installed: ${toolList(missing)}. ${ways}.`,
    canInstall: installable,
    canUseDocker,
  };
}
