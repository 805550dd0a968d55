import { nowUs } from './transport';

/** CPU time of the process, and when it was read: over the time between two readings it is a share. */
export function readCpu(): { readonly usedUs: number; readonly atUs: number } {
  const { user, system } = process.cpuUsage();
  return { usedUs: user + system, atUs: nowUs() };
}
