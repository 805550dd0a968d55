import { readProcessStat } from './process-stat';

/** Linux counts CPU time in hundredths of a second for programs, whatever its own clock does (USER_HZ). */
const tickUs = 10_000;

/** CPU time of the process, user and system, of all its threads; null when it has ended. */
export function processCpuUs(pid: number): number | null {
  const fields = readProcessStat(pid);
  if (fields === null) return null;
  // Fields 14 and 15 of proc(5), counted from the third.
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks * tickUs : null;
}
