import type { ContainerInfo } from '../../main/contract/docker';
import { stepTitleOf } from '../../main/contract/words';

/** What a container does: "Triton", "Client: Check accuracy"; a step that this version does not know keeps its id. Pure. */
export function containerTitle({ role, step }: Pick<ContainerInfo, 'role' | 'step'>): string {
  if (role === 'triton') return 'Triton';
  if (role === 'deployment') return 'Deployment';
  return `Client: ${stepTitleOf(step)}`;
}
