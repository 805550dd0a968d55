// @vitest-environment jsdom
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import { loadPages, onDemand } from '../../../../renderer/views/page-on-demand';
import { createClientDouble } from '../client-double';
import { mount, type Mounted } from '../mounted';

let mounted: Mounted | undefined;
afterEach(() => {
  mounted?.unmount();
  mounted = undefined;
});

const Servers = ({ name }: { name: string }) => <h1>Servers of {name}</h1>;
const settled = () =>
  act(async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  });

it('loads its page when it is shown, once', async () => {
  let loads = 0;
  const given: { page?: (page: typeof Servers) => void } = {};
  const Page = onDemand<{ name: string }>(() => {
    loads += 1;
    return new Promise((resolve) => (given.page = resolve));
  });
  mounted = await mount(createClientDouble({}).client, <Page name="Ada" />);
  expect(mounted.page.querySelector('[role="status"]')?.textContent).toBe('Loading the page');
  given.page?.(Servers);
  await settled();
  expect(mounted.page.querySelector('h1')?.textContent).toBe('Servers of Ada');
  mounted.unmount();
  mounted = await mount(createClientDouble({}).client, <Page name="Grace" />);
  expect(mounted.page.querySelector('h1')?.textContent).toBe('Servers of Grace');
  expect(loads).toBe(1);
});

it('is drawn at once when it has been loaded before', async () => {
  const Page = onDemand<{ name: string }>(() => Promise.resolve(Servers));
  await loadPages();
  const shown: (string | null)[] = [];
  const Watched = () => {
    const page = <Page name="Ada" />;
    return <div ref={(element) => void shown.push(element?.textContent ?? null)}>{page}</div>;
  };
  mounted = await mount(createClientDouble({}).client, <Watched />);
  expect(shown[0]).toBe('Servers of Ada');
});

it('shows why it could not be loaded', async () => {
  const Page = onDemand<{ name: string }>(() => Promise.reject(new Error('The script is gone')));
  mounted = await mount(createClientDouble({}).client, <Page name="Ada" />);
  await settled();
  expect(mounted.page.querySelector('[role="alert"]')?.textContent).toContain('The script is gone');
});
