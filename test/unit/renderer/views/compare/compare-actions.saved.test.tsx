// @vitest-environment jsdom
import { Notifications } from '@mantine/notifications';
import { expect, it } from 'vitest';
import type { SavedComparison } from '../../../../../main/contract/run/saved-comparison';
import { SavedMenu } from '../../../../../renderer/views/compare/compare-actions';
import { createClientDouble } from '../../client-double';
import { mount } from '../../mounted';

const own: SavedComparison = { name: 'instances', runIds: ['a', 'b'], p99BudgetMs: 20 };
const other: SavedComparison = { name: 'releases', runIds: ['c', 'd'], p99BudgetMs: null };

async function openMenu() {
  let saved: readonly SavedComparison[] = [own, other];
  const { client, calls } = createClientDouble({
    'comparisons.list': () => saved,
    'comparisons.remove': (input) => {
      saved = saved.filter(({ name }) => name !== (input as SavedComparison).name);
    },
    'comparisons.save': (input) => {
      saved = [...saved, input as SavedComparison];
    },
  });
  const mounted = await mount(
    client,
    <>
      <Notifications />
      <SavedMenu runIds={own.runIds} />
    </>,
    async ({ comparisons }) => comparisons.getState().load(),
  );
  await mounted.click(mounted.button('Saved'));
  const items = [...document.querySelectorAll('[role="menuitem"]')];
  return { ...mounted, calls, items };
}

it('has what opens a comparison first, and what removes it last', async () => {
  const { items, unmount } = await openMenu();
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'instances 2 runs',
    'releases 2 runs',
    'Remove instances from the list',
  ]);
  unmount();
});

it('a removed comparison comes back as it was', async () => {
  const { items, calls, click, button, workbench, unmount } = await openMenu();
  await click(items.at(-1) as Element);
  expect(workbench.comparisons.getState().value).toEqual([other]);
  await click(button('Undo'));
  expect(calls.find(([name]) => name === 'comparisons.save')?.[1]).toEqual(own);
  expect(workbench.comparisons.getState().value).toContainEqual(own);
  unmount();
});
