import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Fields of `/proc/<pid>/stat` (or a thread's) from the third on; null if gone. */
export function readProcessStat(pid: number, thread?: number): readonly string[] | null {
  const of = thread === undefined ? '' : `/task/${thread}`;
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}${of}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command in parentheses may contain spaces and parentheses.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** USER_HZ is 100 on Linux. */
const tickUs = 10_000;

/** User and system time of all threads; null if it ended. */
export function processCpuUs(pid: number): number | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  // Fields 14 and 15 of proc(5), counted from the third.
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * tickUs : null;
}

/** Process id and start time (field 22 of `/proc/<pid>/stat`, clock ticks since boot), because ids are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** null if not running. A zombie whose other threads live still counts: the kernel may hold its GPU memory. */
export function processStartTime(pid: number): string | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  return fields[0] === 'Z' && Number(fields[17]) <= 1 ? null : (fields[19] ?? null);
}

/** Running ones only. */
export const identitiesOf = (pids: readonly number[]): readonly ProcessIdentity[] =>
  pids.flatMap((pid) => {
    const startTime = processStartTime(pid);
    return startTime === null ? [] : [{ pid, startTime }];
  });

/** The session leader among them, or null. */
export const sessionLeader = (pids: readonly number[]): ProcessIdentity | null =>
  identitiesOf(pids.filter((pid) => readProcessStat(pid)?.[3] === String(pid)))[0] ?? null;

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: processStartTime(process.pid) ?? '' };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startTime;
}

/** Scope of process ids: homes may be shared with containers and other machines. Its schema is in `process-place.ts`. */
export interface ProcessPlace {
  host: string;
  /** Kernel boot id; '' if unknown. */
  bootId: string;
  /** Inode of the PID namespace; '0' if unknown. */
  pidNamespace: string;
}

/** '0' if unknown. */
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
 * `here`: process ids can be looked up; also for records of old versions without a place. `earlier-boot`: before a
 * reboot. `elsewhere`: another machine or PID namespace, where liveness is unknown.
 */
export function relationTo(place: ProcessPlace | undefined): 'here' | 'earlier-boot' | 'elsewhere' {
  if (place === undefined) return 'here';
  const own = ownPlace();
  const isSameHost = place.host === own.host;
  if (place.bootId !== own.bootId) return isSameHost ? 'earlier-boot' : 'elsewhere';
  if (place.pidNamespace !== own.pidNamespace) return 'elsewhere';
  // Without a boot id only the host name distinguishes machines.
  return own.bootId === '' && !isSameHost ? 'elsewhere' : 'here';
}

/** Disables ONNX Runtime's telemetry of session and model names (since 1.29 on Linux). */
export const noTelemetry = { ORT_DISABLE_TELEMETRY: '1' } as const;

/** For every Python process of runs and deployments, here and in containers. */
export const pythonVariables = { PYTHONDONTWRITEBYTECODE: '1', ...noTelemetry } as const;

/**
 * Passive OpenMP waits: spinning threads displace the ones they wait for. Served models keep the default, as measured.
 */
export const toolkitVariables = { ...pythonVariables, OMP_WAIT_POLICY: 'PASSIVE' } as const;

type IsWanted = (value: string) => boolean;

const processIds = (names: readonly string[]): readonly number[] =>
  names.filter((name) => /^\d+$/.test(name)).map(Number);

function hasWanted(environment: string, variable: string, isWanted: IsWanted): boolean {
  const prefix = `${variable}=`;
  if (!environment.includes(prefix)) return false;
  const entry = environment.split('\0').find((candidate) => candidate.startsWith(prefix));
  return entry !== undefined && isWanted(entry.slice(prefix.length));
}

/** Processes whose environment has a wanted value, which cannot be reused like ids. Omits zombies and other users'. */
export async function processesWhere(variable: string, isWanted: IsWanted): Promise<number[]> {
  const pids = processIds(await readdir('/proc').catch(() => []));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return hasWanted(environment, variable, isWanted);
    }),
  );
  return pids.filter((_pid, index) => found[index] === true);
}

/** As {@link processesWhere}, in a third of its processor time, but blocks meanwhile: when a command starts. */
export function processesAtOnceWhere(variable: string, isWanted: IsWanted): number[] {
  // Readers of whole files take new memory for each, as files of /proc do not say how long they are.
  const buffer = Buffer.allocUnsafe(2 ** 15);
  const read = (pid: number): string => {
    let text = '';
    try {
      const file = openSync(`/proc/${pid}/environ`, 'r');
      try {
        for (let length = 1; length > 0; text += buffer.toString('latin1', 0, length)) {
          length = readSync(file, buffer, 0, buffer.length, null);
        }
      } finally {
        closeSync(file);
      }
    } catch {
      return '';
    }
    return text;
  };
  try {
    return processIds(readdirSync('/proc')).filter((pid) => hasWanted(read(pid), variable, isWanted));
  } catch {
    return [];
  }
}

/** False without permission; a vanished process counts as ended. */
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
  /** No permission, or stuck in the kernel (hung driver or file server). */
  readonly left: readonly number[];
}

/** Kills what `find` returns, repeatedly, until nothing is left or the time is over. */
export async function endProcesses(
  find: () => readonly number[] | Promise<readonly number[]>,
  deadlineMs: number,
): Promise<EndedProcesses> {
  const asked = new Map<number, string>();
  const refused = new Set<number>();
  let deadline: number | null = null;
  for (;;) {
    // /proc/environ vanishes before devices are released, so killed processes are tracked by id.
    const ending = [...asked].filter(([pid, startTime]) => isAlive({ pid, startTime }));
    const alive = [...new Set([...(await find()), ...ending.map(([pid]) => pid)])];
    const endable = alive.filter((pid) => !refused.has(pid));
    const result = () => ({ ended: [...asked.keys()].filter((pid) => !alive.includes(pid)), left: alive });
    if (endable.length === 0) return result();
    // Not before: the first use of the clock loads it, and most commands find nothing to end.
    deadline ??= performance.now() + deadlineMs;
    if (performance.now() > deadline) return result();
    for (const pid of endable) {
      const startTime = processStartTime(pid);
      if (kill(pid)) asked.set(pid, startTime ?? '');
      else refused.add(pid);
    }
    await sleep(20);
  }
}
