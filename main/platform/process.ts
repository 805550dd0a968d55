import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
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

/**
 * null when no such process runs. A zombie counts as gone once it is the last of its threads: until then the kernel may hold
 * what they had open, the memory of a GPU included.
 */
export function processStartTime(pid: number): string | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  return fields[0] === 'Z' && Number(fields[17]) <= 1 ? null : (fields[19] ?? null);
}

/** Those of them that run. */
export const identitiesOf = (pids: readonly number[]): readonly ProcessIdentity[] =>
  pids.flatMap((pid) => {
    const startTime = processStartTime(pid);
    return startTime === null ? [] : [{ pid, startTime }];
  });

/** Of several processes the one that was started as a session of its own; null where that has ended. */
export const sessionLeader = (pids: readonly number[]): ProcessIdentity | null =>
  identitiesOf(pids.filter((pid) => readProcessStat(pid)?.[3] === String(pid)))[0] ?? null;

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

/** ONNX Runtime reports its sessions, with names and hashes of models, to its makers (since 1.29, on Linux) unless told not to. */
export const noTelemetry = { ORT_DISABLE_TELEMETRY: '1' } as const;

/** What every Python of a run and of a deployment is told, here and in containers. */
export const pythonVariables = { PYTHONDONTWRITEBYTECODE: '1', ...noTelemetry } as const;

/**
 * The same of the toolkit. The threads of a parallel loop sleep while they wait for each other: by default they spin, and where
 * others use the processors too, spin in the place of the very thread that is waited for. A served model keeps the default,
 * as it is measured.
 */
export const toolkitVariables = { ...pythonVariables, OMP_WAIT_POLICY: 'PASSIVE' } as const;

/**
 * The processes in whose environment the variable has a value that `isWanted`. Unlike a process id or group id, such a
 * value cannot come to belong to anybody else. Zombies have no environment and are left out, as are processes of others.
 */
export async function processesWhere(
  variable: string,
  isWanted: (value: string) => boolean,
): Promise<number[]> {
  const prefix = `${variable}=`;
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      if (!environment.includes(prefix)) return false;
      const entry = environment.split('\0').find((candidate) => candidate.startsWith(prefix));
      return entry !== undefined && isWanted(entry.slice(prefix.length));
    }),
  );
  return pids.filter((_pid, index) => found[index] === true);
}

/** False: not one that may be ended from here. One that is gone counts as ended. */
function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'ESRCH') throw error;
    return code === 'ESRCH';
  }
}

interface EndedProcesses {
  readonly ended: readonly number[];
  /** Not ours to end, or in a call of the kernel that does not return (a hung driver or file server). */
  readonly left: readonly number[];
}

/** Kills what `find` gives, and what it gives then, until nothing that can be ended is left; for so long at most. */
export async function endProcesses(
  find: () => Promise<readonly number[]>,
  deadlineMs: number,
): Promise<EndedProcesses> {
  const asked = new Map<number, string>();
  const refused = new Set<number>();
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    // The environment that some are found by is gone before the devices that a process holds are free.
    const ending = [...asked].filter(([pid, startTime]) => isAlive({ pid, startTime }));
    const alive = [...new Set([...(await find()), ...ending.map(([pid]) => pid)])];
    const endable = alive.filter((pid) => !refused.has(pid));
    if (endable.length === 0 || performance.now() > deadline) {
      return { ended: [...asked.keys()].filter((pid) => !alive.includes(pid)), left: alive };
    }
    for (const pid of endable) {
      const startTime = processStartTime(pid);
      if (kill(pid)) asked.set(pid, startTime ?? '');
      else refused.add(pid);
    }
    await sleep(20);
  }
}
