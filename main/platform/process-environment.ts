import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** ONNX Runtime reports its sessions, with names and hashes of models, to its makers (since 1.29, on Linux) unless told not to. */
export const noTelemetry = { ORT_DISABLE_TELEMETRY: '1' } as const;

/** What every Python of a run and of a deployment is told, here and in containers. */
export const pythonVariables = { PYTHONDONTWRITEBYTECODE: '1', ...noTelemetry } as const;

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
  const asked = new Set<number>();
  const refused = new Set<number>();
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const alive = await find();
    const endable = alive.filter((pid) => !refused.has(pid));
    if (endable.length === 0 || performance.now() > deadline) {
      return { ended: [...asked].filter((pid) => !alive.includes(pid)), left: alive };
    }
    for (const pid of endable) (kill(pid) ? asked : refused).add(pid);
    await sleep(20);
  }
}
