import { readFileSync } from 'node:fs';

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
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name in brackets may hold spaces and brackets of its own.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: processStartTime(process.pid) ?? '' };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startTime;
}
