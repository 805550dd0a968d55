import { readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcessStat } from '../platform/process-identity';

/** Whether a path that the system names is the folder or in it. */
const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

const parentOf = (pid: number): number => Number(readProcessStat(pid)?.[1] ?? 0);

/** This process, those that started it, and those that it started: the window has several. */
function isOwn(pid: number, own: ReadonlySet<number>): boolean {
  for (let at = pid, steps = 0; at > 1 && steps < 64; at = parentOf(at), steps += 1) {
    if (own.has(at)) return true;
  }
  return false;
}

async function uses(pid: number, folder: string): Promise<boolean> {
  const at = `/proc/${pid}`;
  const fds = await readdir(join(at, 'fd')).catch(() => []);
  const links = [join(at, 'cwd'), join(at, 'exe'), ...fds.map((fd) => join(at, 'fd', fd))];
  for (const link of links) {
    if (isIn(folder, await readlink(link).catch(() => ''))) return true;
  }
  return false;
}

/**
 * Process ids of this user's programs outside of this one that have a file of the folder open, run from it or in it. Nothing
 * on systems without /proc.
 */
export async function usersOf(folder: string): Promise<readonly number[]> {
  const real = await realpath(folder).catch(() => folder);
  const own = new Set([process.pid]);
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    if (!isOwn(pid, own) && pid !== process.ppid && (await uses(pid, real))) found.push(pid);
  }
  return found;
}
