import { readFileSync } from 'node:fs';

/**
 * The fields of `/proc/<pid>/stat`, or of that of one of its threads, from the third (the state) on; null when there is
 * none such.
 */
export function readProcessStat(pid: number, thread?: number): readonly string[] | null {
  const of = thread === undefined ? '' : `/task/${thread}`;
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}${of}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name in brackets may hold spaces and brackets of its own.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
