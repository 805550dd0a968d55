import { expect, it } from 'vitest';
import type { Host, HostStatus } from '../../../../main/contract/host/hosts';
import type { Client } from '../../../../renderer/client';
import { createHosts } from '../../../../renderer/stores/hosts';

const host = (name: string, address = `ssh://${name}`): Host => ({ name, address, addedAt: '' });
const found = ({ name, address }: Host): HostStatus => ({
  ...{ name, address, at: '' },
  reachable: false,
  reason: 'timeout',
  message: 'no answer',
  remedy: 'Start it.',
});

/** Hosts that answer when the test says so. */
function fakeCore(list: Host[]) {
  const answers = new Map<string, () => void>();
  const call = (name: string, input?: { readonly name: string }): Promise<unknown> => {
    const asked = list.find((one) => one.name === input?.name);
    if (name === 'hosts.list') return Promise.resolve([...list]);
    if (asked === undefined) return Promise.reject(new Error('unknown'));
    if (name === 'hosts.check') return Promise.resolve({ status: found(asked), checks: [] });
    return new Promise((resolve) => {
      answers.set(asked.name, () => {
        resolve(found(asked));
      });
    });
  };
  return { client: { call } as unknown as Client, answer: (name: string) => answers.get(name)?.() };
}

it('shows the list at once, and each host when it has answered', async () => {
  const core = fakeCore([host('a'), host('b')]);
  const store = createHosts(core.client);
  const statuses = () => store.getState().entries?.map(({ status }) => status?.name ?? null);
  const loaded = store.getState().load();
  await expect.poll(statuses).toEqual([null, null]);
  core.answer('b');
  await expect.poll(statuses).toEqual([null, 'b']);
  core.answer('a');
  await loaded;
  expect(statuses()).toEqual(['a', 'b']);
  expect(store.getState().entries?.some(({ asking }) => asking)).toBe(false);
});

it('keeps what was found until there is something newer, unless the address is another one', async () => {
  const list = [host('a'), host('b')];
  const core = fakeCore(list);
  const store = createHosts(core.client);
  const first = store.getState().load();
  await expect.poll(() => store.getState().entries?.length).toBe(2);
  for (const name of ['a', 'b']) core.answer(name);
  await first;
  list[1] = host('b', 'ssh://elsewhere');
  const again = store.getState().load();
  await expect.poll(() => store.getState().entries?.[1]?.host.address).toBe('ssh://elsewhere');
  expect(store.getState().entries?.map(({ status }) => status?.name ?? null)).toEqual(['a', null]);
  for (const name of ['a', 'b']) core.answer(name);
  await again;
});

it('shows the preflight of a host, and an error of a host that is gone', async () => {
  const core = fakeCore([host('a')]);
  const store = createHosts(core.client);
  const loaded = store.getState().load();
  await expect.poll(() => store.getState().entries?.length).toBe(1);
  core.answer('a');
  await loaded;
  await store.getState().check('a');
  expect(store.getState().entries?.[0]?.checks).toEqual([]);
  store.getState().hideChecks('a');
  expect(store.getState().entries?.[0]?.checks).toBeNull();
  await store.getState().check('gone');
  expect(store.getState().error?.message).toBe('unknown');
});
