import type { ContainerInfo } from '../../main/contract/docker';
import { stepIds } from '../../main/contract/run/run-events';
import { stepTitle } from '../../main/contract/words';

/** What a container does: "Triton", "Client: Check accuracy"; a step that this version does not know keeps its id. Pure. */
export function containerTitle({ role, step }: Pick<ContainerInfo, 'role' | 'step'>): string {
  if (role === 'triton') return 'Triton';
  if (role === 'deployment') return 'Deployment';
  const known = stepIds.find((id) => id === step);
  return `Client: ${known === undefined ? step : stepTitle[known]}`;
}
