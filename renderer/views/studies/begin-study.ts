import type { StudySpec } from '../../../main/contract/study/study';
import type { Workbench } from '../../workbench';

/** Starts a study and opens its page. Throws as `studies.start`. */
export async function beginStudy(
  { client, studies, route }: Pick<Workbench, 'client' | 'studies' | 'route'>,
  spec: StudySpec,
): Promise<void> {
  await client.call('studies.start', { spec });
  await studies.getState().load();
  route.getState().go({ page: 'studies', name: spec.name });
}
