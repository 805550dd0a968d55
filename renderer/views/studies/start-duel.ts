import type { DuelRequest } from '../../../main/contract/study/duel';
import type { Workbench } from '../../workbench';
import { beginStudy } from './begin-study';

/** Starts a comparison in turns, and opens its page. Throws as `duels.plan` and `studies.start`. */
export async function startDuel(
  workbench: Pick<Workbench, 'client' | 'studies' | 'route'>,
  request: DuelRequest,
): Promise<void> {
  const { spec } = await workbench.client.call('duels.plan', request);
  await beginStudy(workbench, spec);
}
