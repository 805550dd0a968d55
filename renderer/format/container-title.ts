import type { ContainerInfo } from '../../main/contract/docker';
import { stepTitleOf } from '../../main/contract/words';

/** "Triton", "Client: Check accuracy"; an unknown step keeps its id. */
export function containerTitle({ role, step }: Pick<ContainerInfo, 'role' | 'step'>): string {
  if (role === 'triton') return 'Triton';
  if (role === 'deployment') return 'Deployment';
  return `Client: ${stepTitleOf(step)}`;
}
