// @vitest-environment jsdom
import { act } from 'react';
import { expect, it } from 'vitest';
import { SearchDialog } from '../../../../../renderer/views/studies/search-dialog';
import { runA } from '../../../../support/duel';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

const plan = {
  spec: { name: 'july', strategy: { kind: 'search', trials: [] }, hosts: null },
  search: { budgetS: 300 },
  candidates: ['present configuration'],
  notes: ['Trace: 1,200 requests in 60.0 s'],
};

it('a search replays the trace that is chosen, until it is removed or the load is a concurrency', async () => {
  const { client, calls } = createClientDouble({
    'searches.plan': () => plan,
    'desktop.choosePath': () => ({ path: '/traces/july.csv' }),
  });
  const planned = () => calls.filter(([name]) => name === 'searches.plan').at(-1)?.[1];
  const { workbench, click, button, unmount } = await mount(client, <SearchDialog />);
  await act(async () => {
    workbench.overlay.setState({ searched: { runId: runA } });
    await Promise.resolve();
  });
  expect(planned()).toMatchObject({ runId: runA, load: 'open' });
  expect(planned()).not.toHaveProperty('replay');
  // A dialog lies beside the page.
  const named = (name: string): Element => {
    const found = document.querySelector(`[aria-label="${name}"]`);
    if (found === null) throw new Error(`No "${name}"`);
    return found;
  };
  await click(named('Choose replayed trace'));
  expect(planned()).toMatchObject({ replay: { file: '/traces/july.csv', speed: 1, fromS: 0 } });
  expect(document.body.textContent).toContain('Trace: 1,200 requests in 60.0 s');
  await click(named('Remove replayed trace'));
  expect(planned()).not.toHaveProperty('replay');
  expect(() => button('Start search')).not.toThrow();
  unmount();
});
