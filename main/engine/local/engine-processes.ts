import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcesses, processesWhere } from '../../platform/process-environment';

/** Set in the environment of a server and so inherited by all that it starts; the value is random and unique. */
export const engineIdVariable = 'TRITON_WORKBENCH_ENGINE_ID';

const sharedMemoryFolder = '/dev/shm';
const goneDeadlineMs = 10_000;

/** The processes that carry an engine's id. */
export function processesOfEngine(id: string): Promise<number[]> {
  return processesWhere(engineIdVariable, (value) => value === id);
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

/**
 * Kills everything that an engine started, waits until it is gone and removes its shared memory. Gives the killed.
 * Throws where some do not end.
 */
export async function endEngineProcesses(id: string): Promise<number[]> {
  const { ended, left } = await endProcesses(() => processesOfEngine(id), goneDeadlineMs);
  if (left.length > 0) throw new Error(`Processes ${left.join(', ')} do not end after SIGKILL`);
  await removeSharedMemory(id);
  return [...ended];
}
