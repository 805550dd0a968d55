import { readdir, readFile } from 'node:fs/promises';
import { proportionalBytes } from './process-memory';

/** What /proc says of a process; null: not readable. Bytes, or counts. */
export interface ProcessReading {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly rss: number | null;
  readonly pss: number | null;
  readonly virtual: number | null;
  /** Files in /dev/shm that it has mapped. */
  readonly shm: number | null;
  readonly threads: number | null;
  readonly handles: number | null;
}

/** Texts of /proc, '' where one is not readable. */
interface ProcessTexts {
  readonly pid: number;
  /** Arguments, each ended by a NUL. */
  readonly cmdline: string;
  readonly status: string;
  readonly rollup: string;
  /** Lines of `maps`. */
  readonly maps: string | null;
  /** Open file descriptors; null: not readable. */
  readonly handles: number | null;
}

function numberIn(status: string, name: string): number | null {
  const found = new RegExp(`^${name}:\\s+(\\d{1,15})`, 'm').exec(status)?.[1];
  return found === undefined ? null : Number(found);
}

const inBytes = (kilobytes: number | null): number | null => (kilobytes === null ? null : kilobytes * 1024);

/** Of each file once, its mapped length; deleted ones count as long as they are mapped. */
function sharedBytes(maps: string): number {
  const byFile = new Map<string, number>();
  for (const line of maps.split('\n')) {
    const [, from, to, inode, path] =
      /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+)\s+(\/dev\/shm\/.*)$/.exec(line) ?? [];
    if (from === undefined || to === undefined || path === undefined) continue;
    const file = `${inode ?? ''} ${path}`;
    byFile.set(file, (byFile.get(file) ?? 0) + Number.parseInt(to, 16) - Number.parseInt(from, 16));
  }
  return [...byFile.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** null: it has ended. Pure. */
export function processReading({
  pid,
  cmdline,
  status,
  rollup,
  maps,
  handles,
}: ProcessTexts): ProcessReading | null {
  const rss = inBytes(numberIn(status, 'VmRSS'));
  // Ended, and not waited for yet.
  if (rss === null && /^State:\s+[ZX]/m.test(status)) return null;
  if (status === '') return null;
  return {
    pid,
    argv: cmdline.split('\0').filter((word) => word !== ''),
    rss,
    pss: proportionalBytes(rollup),
    virtual: inBytes(numberIn(status, 'VmSize')),
    shm: maps === null ? null : sharedBytes(maps),
    threads: numberIn(status, 'Threads'),
    handles,
  };
}

async function readProcess(pid: number): Promise<ProcessReading | null> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => null);
  const [cmdline, status, rollup, maps, handles] = await Promise.all([
    ...[read('cmdline'), read('status'), read('smaps_rollup'), read('maps')],
    readdir(`/proc/${pid}/fd`).then(
      ({ length }) => length,
      () => null,
    ),
  ] as const);
  return processReading({
    ...{ pid, cmdline: cmdline ?? '', status: status ?? '', rollup: rollup ?? '' },
    // Empty where it may not be read.
    ...{ maps: maps === '' ? null : maps, handles },
  });
}

/** Of this machine; without those that have ended. */
export async function readProcesses(pids: readonly number[]): Promise<readonly ProcessReading[]> {
  const found = await Promise.all(pids.map(readProcess));
  return found.filter((reading) => reading !== null);
}

/** A process with all that it started, as far as they still run. */
export async function withDescendants(pid: number): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const parents = new Map<number, number>();
  for (const name of names.filter((one) => /^\d+$/.test(one))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (Number.isInteger(parent)) parents.set(Number(name), parent);
  }
  const family = [pid];
  for (const member of family) {
    for (const [child, parent] of parents)
      if (parent === member && !family.includes(child)) family.push(child);
  }
  return family;
}

const mark = '==twb==';

/**
 * Prints the same of every process that it sees, as in a container; plain `sh` with `cat`, `grep` and `ls`. Itself is left out.
 */
export const listProcessesScript = `for d in /proc/[0-9]*; do p=\${d#/proc/}; [ "$p" = "$$" ] && continue
[ -r "$d/status" ] || continue
echo "${mark} $p"; echo "${mark} cmdline"; cat "$d/cmdline" 2>/dev/null; echo
echo "${mark} status"; cat "$d/status" 2>/dev/null
echo "${mark} rollup"; grep '^Pss:' "$d/smaps_rollup" 2>/dev/null
echo "${mark} maps"; cat "$d/maps" >/dev/null 2>&1 && { echo readable; grep ' /dev/shm/' "$d/maps" 2>/dev/null; }
echo "${mark} handles"; ls "$d/fd" 2>/dev/null | grep -c .
done; exit 0`;

/** What {@link listProcessesScript} printed. Pure. */
export function parseProcessList(text: string): readonly ProcessReading[] {
  return text.split(new RegExp(`^${mark} (?=\\d+$)`, 'm')).flatMap((part) => {
    const [head = '', ...sections] = part.split(new RegExp(`^${mark} `, 'm'));
    const pid = Number(head.trim());
    if (!Number.isInteger(pid) || pid < 1) return [];
    const sectionOf = (name: string): string =>
      sections.find((section) => section.startsWith(`${name}\n`))?.slice(name.length + 1) ?? '';
    const maps = sectionOf('maps');
    const handles = Number(sectionOf('handles').trim() || Number.NaN);
    const reading = processReading({
      ...{ pid, cmdline: sectionOf('cmdline').replace(/\n$/, ''), status: sectionOf('status') },
      rollup: sectionOf('rollup'),
      maps: maps.startsWith('readable') ? maps : null,
      // Without permission nothing is listed, and every process has some.
      handles: Number.isInteger(handles) && handles > 0 ? handles : null,
    });
    // The shell that lists them, and what it starts.
    return reading === null || reading.argv.some((word) => word.includes(mark)) ? [] : [reading];
  });
}
