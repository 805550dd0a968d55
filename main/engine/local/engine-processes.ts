import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Set in the environment of a server and so inherited by all that it starts; the value is random and unique. */
export const engineIdVariable = 'TRITON_WORKBENCH_ENGINE_ID';

const sharedMemoryFolder = '/dev/shm';
const goneDeadlineMs = 10_000;

/**
 * The processes that carry an engine's id. Unlike a process id or group id, the id cannot come to belong to anybody
 * else. Zombies have no environment and are left out.
 */
export async function processesOfEngine(id: string): Promise<number[]> {
  const wanted = `${engineIdVariable}=${id}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(wanted);
    }),
  );
  return pids.filter((_pid, index) => found[index] === true);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Prefix of the engine's regions under `/dev/shm`: nobody else's begin so. */
export function sharedMemoryPrefix(id: string): string {
  return `twb-${id}-`;
}

async function removeSharedMemory(id: string): Promise<void> {
  const names = await readdir(sharedMemoryFolder).catch(() => []);
  const own = names.filter((name) => name.startsWith(sharedMemoryPrefix(id)));
  await Promise.all(own.map((name) => rm(join(sharedMemoryFolder, name), { force: true })));
}

/** Kills everything that an engine started, waits until it is gone and removes its shared memory. Gives the killed. */
export async function endEngineProcesses(id: string): Promise<number[]> {
  const ended = new Set<number>();
  const deadline = performance.now() + goneDeadlineMs;
  for (;;) {
    const alive = await processesOfEngine(id);
    if (alive.length === 0) break;
    for (const pid of alive) {
      kill(pid);
      ended.add(pid);
    }
    if (performance.now() > deadline) {
      throw new Error(`Processes ${alive.join(', ')} do not end after SIGKILL`);
    }
    await sleep(20);
  }
  await removeSharedMemory(id);
  return [...ended];
}
