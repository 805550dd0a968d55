import { useEffect } from 'react';
import { attempting } from '../components/notices';
import { useWorkbench, type Workbench } from '../workbench';

export async function showConfiguration(
  { route, draft }: Pick<Workbench, 'route' | 'draft'>,
  { fileName, text }: { readonly fileName: string; readonly text: string },
): Promise<void> {
  route.getState().go({ page: 'new', draft: true });
  await draft.getState().open();
  await draft.getState().importText(fileName, text, { asNew: true });
}

export async function showOpened(workbench: Pick<Workbench, 'client' | 'route' | 'draft'>): Promise<void> {
  const opened = await workbench.client.call('desktop.takeOpened');
  if (opened === null) return;
  if (opened.kind === 'run') workbench.route.getState().go({ page: 'run', runId: opened.runId });
  else await showConfiguration(workbench, opened);
  await showOpened(workbench);
}

export function useOpened(): void {
  const workbench = useWorkbench();
  useEffect(() => {
    const show = attempting(() => showOpened(workbench));
    show();
    return workbench.client.on((events) => {
      if (events.some(({ type }) => type === 'opened')) show();
    });
  }, [workbench]);
}
