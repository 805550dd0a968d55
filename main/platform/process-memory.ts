import { readFile } from 'node:fs/promises';

/** Bytes of "Pss: 1234 kB", in which memory that processes share counts once; null without. */
export function proportionalBytes(rollup: string): number | null {
  const kilobytes = /^Pss:\s+(\d{1,15}) kB$/m.exec(rollup)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** Memory of these processes together, bytes; null where the kernel does not say it of each. */
export async function memoryOfProcesses(pids: readonly number[]): Promise<number | null> {
  const read = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return proportionalBytes(text);
    }),
  );
  const known = read.filter((bytes) => bytes !== null);
  const isWhole = known.length > 0 && known.length === pids.length;
  return isWhole ? known.reduce((sum, bytes) => sum + bytes, 0) : null;
}
