import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../main/platform/process';

const textOf = (path: string) => readFile(path, 'latin1').catch(() => '');

/** Processes of which the command or the environment names the folder, with their commands. */
async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await textOf(`/proc/${pid}/cmdline`);
    const texts = [command, await textOf(`/proc/${pid}/environ`)];
    if (texts.some((text) => text.includes(folder)))
      found.push(`process ${pid} ${command.replaceAll('\0', ' ').slice(0, 120)}`);
  }
  return found;
}

/** What is left when those that are just ending have had ten seconds. */
export async function leftProcesses(folder: string): Promise<readonly string[]> {
  for (let poll = 0; poll < 40 && (await processesOf(folder)).length > 0; poll += 1) await sleep(250);
  return processesOf(folder);
}

/** Shared memory of the workbench whose owner is gone, `before` aside. */
export async function leftSharedMemory(before: readonly string[]): Promise<readonly string[]> {
  const names = await readdir('/dev/shm').catch(() => []);
  return names.filter((name) => {
    const [, pid, startTime = ''] = /^triton-workbench-(\d+)-(\d+)-/.exec(name) ?? [];
    return pid !== undefined && !before.includes(name) && !isAlive({ pid: Number(pid), startTime });
  });
}
