import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for programs, whatever its own clock does (USER_HZ). */
const tickUs = 10_000;

/** CPU time of the process, user and system, of all its threads; null when it has ended. */
export function processCpuUs(pid: number): number | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // Fields 14 and 15; the command name in brackets may hold spaces and brackets of its own.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * tickUs : null;
}
