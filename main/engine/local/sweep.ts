import { isAlive } from '../../platform/process-identity';
import { relationTo } from '../../platform/process-place';
import type { SweepResult } from '../engine';
import { endEngineProcesses } from './engine-processes';
import { readEngineRecords, removeEngineRecord } from './engine-record';

/**
 * Ends the servers of workbenches that no longer run. What it kills is found by the engine id in the environment of
 * the processes, never by a process id from the file, so a process id that was given out again is safe. Of a container
 * that shares the home, the processes may be seen from here but not whether their workbench lives: they are left to it.
 */
export async function sweepLocalEngines(folder: string): Promise<SweepResult> {
  const ended: number[] = [];
  for (const record of await readEngineRecords(folder)) {
    const relation = relationTo(record.workbench.place);
    if (relation === 'elsewhere' || (relation === 'here' && isAlive(record.workbench))) continue;
    const killed = await endEngineProcesses(record.id);
    const server = killed.find((pid) => pid === record.server?.pid);
    ended.push(...(server === undefined ? killed : [server]));
    await removeEngineRecord(folder, record.id);
  }
  return { ended, removedContainers: [] };
}
