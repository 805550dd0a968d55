import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isTraceFile, type ServerTraces } from '../server-traces';

/** @param dir of the trace file of a Triton of this machine */
export const localTraces = (dir: string): ServerTraces => ({
  list: async () => (await readdir(dir).catch(() => [])).filter(isTraceFile).sort(),
  take: async (name, to) => {
    const from = join(dir, name);
    try {
      await rename(from, to);
    } catch (error) {
      // The temporary folder may be on another disk.
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      await copyFile(from, to);
      await rm(from);
    }
  },
});
