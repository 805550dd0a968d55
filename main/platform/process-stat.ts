import { readFileSync } from 'node:fs';

/** The fields of `/proc/<pid>/stat` from the third (the state) on; null when there is no such process. */
export function readProcessStat(pid: number): readonly string[] | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name in brackets may hold spaces and brackets of its own.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
