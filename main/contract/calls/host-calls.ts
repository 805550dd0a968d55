import { z } from 'zod';
import { hostNameSchema } from '../host/host-name';
import { type Host, type HostCheck, type HostStatus, newHostSchema } from '../host/hosts';
import { call } from './call';

const hostName = z.strictObject({ name: hostNameSchema });

/** Calls about the machines to run on. */
export const hostsApi = {
  'hosts.list': call<readonly Host[]>().with(z.undefined()),
  /** Throws input-invalid where the name is taken. */
  'hosts.add': call<Host>().with(newHostSchema),
  /** Asks the host, for 10 s at most; eight hosts at a time. Throws host-unknown. */
  'hosts.status': call<HostStatus>().with(hostName),
  /** Asks the host and makes the preflight of it. Throws host-unknown. */
  'hosts.check': call<HostCheck>().with(hostName),
  /** The same of a host that is not in the list. */
  'hosts.try': call<HostCheck>().with(newHostSchema),
  /**
   * Takes it from the list; nothing is changed on the host. Throws host-unknown, and, unless `force`: run-busy and
   * deployment-busy while this home has containers running there, host-unreachable where that cannot be asked.
   */
  'hosts.remove': call<null>().with(hostName.extend({ force: z.boolean() })),
} as const;
