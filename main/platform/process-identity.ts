import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

/**
 * The fields of `/proc/<pid>/stat`, or of that of one of its threads, from the third (the state) on; null when there is
 * none such.
 */
export function readProcessStat(pid: number, thread?: number): readonly string[] | null {
  const of = thread === undefined ? '' : `/task/${thread}`;
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}${of}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name in brackets may hold spaces and brackets of its own.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Linux counts CPU time in hundredths of a second for programs, whatever its own clock does (USER_HZ). */
const tickUs = 10_000;

/** CPU time of the process, user and system, of all its threads; null when it has ended. */
export function processCpuUs(pid: number): number | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  // Fields 14 and 15 of proc(5), counted from the third.
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * tickUs : null;
}

/**
 * A process is named by its id and its start time: an id alone is given out again.
 * The start time is field 22 of `/proc/<pid>/stat`, clock ticks since boot, as text.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** null when no such process runs; a zombie counts as gone. */
export function processStartTime(pid: number): string | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: processStartTime(process.pid) ?? '' };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startTime;
}

/** Where a process id means something: a home may be shared with containers and, over NFS, with other machines. */
export const placeSchema = z.object({
  host: z.string(),
  /** Of the kernel since it was started; '' where the system does not give it. */
  bootId: z.string(),
  /** Inode of the PID namespace; '0' where the system does not give it. */
  pidNamespace: z.string(),
});
type ProcessPlace = z.infer<typeof placeSchema>;

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
