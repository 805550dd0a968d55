import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../platform/files';
import { endProcesses, isAlive, processesWhere, relationTo } from '../../platform/process';
import { placeSchema } from '../../platform/process-place';
import type { SweepResult } from '../engine';

/** Inherited by every process of a server; the value is random and unique. */
export const engineIdVariable = 'TRITON_WORKBENCH_ENGINE_ID';

const sharedMemoryFolder = '/dev/shm';
const goneDeadlineMs = 10_000;

export function processesOfEngine(id: string): Promise<number[]> {
  return processesWhere(engineIdVariable, (value) => value === id);
}

/** Prefix of the engine's files under `/dev/shm`. */
export function sharedMemoryPrefix(id: string): string {
  return `twb-${id}-`;
}

async function removeSharedMemory(id: string): Promise<void> {
  const names = await readdir(sharedMemoryFolder).catch(() => []);
  const own = names.filter((name) => name.startsWith(sharedMemoryPrefix(id)));
  await Promise.all(own.map((name) => rm(join(sharedMemoryFolder, name), { force: true })));
}

/** Kills every process of an engine, and removes its shared memory. Returns their ids. Throws if some survive. */
export async function endEngineProcesses(id: string): Promise<number[]> {
  const { ended, left } = await endProcesses(() => processesOfEngine(id), goneDeadlineMs);
  if (left.length > 0) throw new Error(`Processes ${left.join(', ')} do not end after SIGKILL`);
  await removeSharedMemory(id);
  return [...ended];
}

const identity = z.object({ pid: z.int().min(1), startTime: z.string() });

const engineRecordSchema = z.object({
  version: z.literal(1),
  /** Value of TRITON_WORKBENCH_ENGINE_ID; also part of shared memory names. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  runId: z.string(),
  /** The workbench process that owns the engine. */
  workbench: identity.extend({ place: placeSchema.optional() }),
  /** null before the start: the record is written first, so that no server lacks one. */
  server: identity.nullable(),
  command: z.array(z.string()),
});
export type EngineRecord = z.infer<typeof engineRecordSchema>;

const pathOf = (folder: string, id: string) => join(folder, `${id}.json`);

export async function writeEngineRecord(folder: string, record: EngineRecord): Promise<void> {
  await writeFileAtomic(pathOf(folder, record.id), `${JSON.stringify(record, null, 2)}\n`);
}

export async function removeEngineRecord(folder: string, id: string): Promise<void> {
  await rm(pathOf(folder, id), { force: true });
}

/** Skips unreadable records, which identify no process. */
export async function readEngineRecords(folder: string): Promise<EngineRecord[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const records: EngineRecord[] = [];
  for (const name of names.filter((candidate) => candidate.endsWith('.json'))) {
    try {
      const parsed = engineRecordSchema.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
      if (name === `${parsed.id}.json`) records.push(parsed);
    } catch {
      continue;
    }
  }
  return records;
}

/**
 * Ends servers of dead workbench processes. Processes are found by the engine id in their environment, not by recorded
 * process ids, which may have been reused. Skips records of containers that share the home, because their liveness is
 * unknown here.
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
