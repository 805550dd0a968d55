import { attempting } from '../../../components/notices';
import { useWorkbench } from '../../../workbench';

/** Asks for the folder of a repository, and shows its models. */
export function useChooseRepository(): () => void {
  const { client, repository, route } = useWorkbench();
  return attempting(async () => {
    const title = 'Choose a Triton repository';
    const chosen = await client.call('desktop.choosePath', { kind: 'folder', title });
    if (chosen === null) return;
    route.getState().go({ page: 'new', repository: true });
    await repository.getState().open(chosen.path);
  });
}
