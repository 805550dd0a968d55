import type { HostReach } from '../../main/engine/docker-over-ssh/host-reach';
import type { Hosts } from '../../main/hosts/hosts';

/** For what needs no host. */
export const noHosts: HostReach = {
  open: (host) => Promise.reject(new Error(`no host ${host} is expected here`)),
  problem: () => null,
  close: () => undefined,
};

/** For schedulers whose commands are on this machine. */
export const noLogins: Pick<Hosts, 'run'> = {
  run: (host) => Promise.reject(new Error(`no login node ${host} is expected here`)),
};
