import type { DuelRequest } from '../../../main/contract/study/duel';
import type { Workbench } from '../../workbench';

/** Starts a comparison in turns, and opens its page. Throws as `duels.plan` and `studies.start`. */
export async function startDuel(
  { client, studies, route }: Pick<Workbench, 'client' | 'studies' | 'route'>,
  request: DuelRequest,
): Promise<void> {
  const { spec } = await client.call('duels.plan', request);
  await client.call('studies.start', { spec });
  await studies.getState().load();
  route.getState().go({ page: 'studies', name: spec.name });
}
