import type { Handlers } from '../contract/api';
import type { CoreParts } from './core-parts';

type HostCall = Extract<keyof Handlers, `hosts.${string}`>;

/** What people do with the machines to run on. */
export function createHostCalls({ hosts }: Pick<CoreParts, 'hosts'>): Pick<Handlers, HostCall> {
  return {
    'hosts.list': () => hosts.list(),
    'hosts.add': (host) => hosts.add(host),
    'hosts.remove': async ({ name }) => {
      await hosts.remove(name);
      return null;
    },
  };
}
