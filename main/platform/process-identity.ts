import { readProcessStat } from './process-stat';

/**
 * A process is named by its id and its start time: an id alone is given out again.
 * The start time is field 22 of `/proc/<pid>/stat`, clock ticks since boot, as text.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** null when no such process runs; a zombie counts as gone. */
export function processStartTime(pid: number): string | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: processStartTime(process.pid) ?? '' };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startTime;
}
