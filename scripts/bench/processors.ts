import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** The process and all that it started, as far as they still run. */
function familyOf(pid: number): number[] {
  const family = [pid];
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  // What is found is looked through too.
  for (const one of family) for (const [child, parent] of parents) if (parent === one) family.push(child);
  return family;
}

const bind = (pid: number, list: string) => {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(pid)], { stdio: 'ignore' });
};

/**
 * Gives the server's processes the first half of the processors, and this process and what it starts the others, so that no
 * client is woken on the server's own processor while the server still counts its time.
 * @returns gives all processors back to both.
 */
export function keepApart(serverPid: number): () => void {
  const count = cpus().length;
  if (count < 2) return () => undefined;
  const half = Math.floor(count / 2);
  const server = familyOf(serverPid);
  for (const pid of server) bind(pid, `0-${half - 1}`);
  bind(process.pid, `${half}-${count - 1}`);
  return () => {
    for (const pid of [...server, process.pid]) bind(pid, `0-${count - 1}`);
  };
}
