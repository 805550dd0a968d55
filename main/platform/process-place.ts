import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

/** Where a process id means something: a home may be shared with containers and, over NFS, with other machines. */
export const placeSchema = z.object({
  host: z.string(),
  /** Of the kernel since it was started; '' where the system does not give it. */
  bootId: z.string(),
  /** Inode of the PID namespace; '0' where the system does not give it. */
  pidNamespace: z.string(),
});
export type ProcessPlace = z.infer<typeof placeSchema>;

/** Process ids mean something within one namespace only; '0' where the system does not tell. */
export function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

const kept: { place?: ProcessPlace } = {};

export function ownPlace(): ProcessPlace {
  kept.place ??= { host: hostname(), bootId: bootId(), pidNamespace: pidNamespace() };
  return kept.place;
}

/**
 * `here`: its process ids can be looked up, as are those of files without a place, which older versions wrote.
 * `earlier-boot`: this machine before it was started again. `elsewhere`: another machine, or another PID namespace of
 * this one; whether its processes live cannot be looked up.
 */
export function relationTo(place: ProcessPlace | undefined): 'here' | 'earlier-boot' | 'elsewhere' {
  if (place === undefined) return 'here';
  const own = ownPlace();
  const isSameHost = place.host === own.host;
  if (place.bootId !== own.bootId) return isSameHost ? 'earlier-boot' : 'elsewhere';
  if (place.pidNamespace !== own.pidNamespace) return 'elsewhere';
  // Without a boot id the name is all that tells machines apart.
  return own.bootId === '' && !isSameHost ? 'elsewhere' : 'here';
}
