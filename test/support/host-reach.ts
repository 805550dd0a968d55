import type { HostReach } from '../../main/engine/docker/host-reach';

/** For what needs no host. */
export const noHosts: HostReach = {
  open: (host) => Promise.reject(new Error(`no host ${host} is expected here`)),
  problem: () => null,
  close: () => undefined,
};
