import { z } from 'zod';
import { type Host, hostNameSchema, newHostSchema } from '../hosts';
import { call } from './call';

const hostName = z.strictObject({ name: hostNameSchema });

/** Calls about the machines to run on. */
export const hostsApi = {
  'hosts.list': call<readonly Host[]>().with(z.undefined()),
  /** Throws input-invalid where the name is taken. */
  'hosts.add': call<Host>().with(newHostSchema),
  /** Throws host-unknown. */
  'hosts.remove': call<null>().with(hostName),
} as const;
