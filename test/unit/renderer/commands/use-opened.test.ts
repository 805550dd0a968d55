import { expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Opened } from '../../../../main/contract/opened';
import { showOpened } from '../../../../renderer/commands/use-opened';
import { createRoute } from '../../../../renderer/stores/route';
import type { Workbench } from '../../../../renderer/workbench';
import { createClientDouble, createStorage } from '../client-double';

it('shows all that was opened, a file as a new deployment and a run on its page', async () => {
  const waiting: Opened[] = [
    { kind: 'configuration', fileName: 'run.yaml', text: 'model: x' },
    { kind: 'run', runId: 'one' },
  ];
  const { client } = createClientDouble({ 'desktop.takeOpened': () => waiting.shift() ?? null });
  const done: string[] = [];
  const route = createRoute(createStorage());
  route.subscribe(({ route: shown }) => done.push(`page ${shown.page}`));
  const draft = createStore(() => ({
    open: () => Promise.resolve(done.push('draft')),
    importText: (fileName: string, text: string) => Promise.resolve(done.push(`${fileName}: ${text}`)),
  }));
  await showOpened({ client, route, draft: draft as unknown as Workbench['draft'] });
  expect(done).toEqual(['page new', 'draft', 'run.yaml: model: x', 'page run']);
  expect(route.getState().route).toEqual({ page: 'run', runId: 'one' });
});
