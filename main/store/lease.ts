import { link, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { fileError } from '../platform/files';
import type { ProcessIdentity } from '../platform/process-identity';
import { isAlive, ownIdentity } from '../platform/process-identity';

const holderSchema = z.object({ pid: z.int(), startTime: z.string() });

/** Name inside the run folder; its time is the holder's last sign of life. */
export const leaseFile = 'lease.json';
const heartbeatMs = 5000;

const leasePath = (runDir: string) => join(runDir, leaseFile);

async function liveHolder(path: string): Promise<ProcessIdentity | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  const parsed = holderSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success && isAlive(parsed.data) ? parsed.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The live process that holds the run; null when nobody does. A dead holder's lease counts as none. */
export function leaseHolder(runDir: string): Promise<ProcessIdentity | null> {
  return liveHolder(leasePath(runDir));
}

/** True when the link was made, false when the name is taken. A link appears with its content or not at all. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function keepAlive(path: string): () => Promise<void> {
  const beat = setInterval(() => {
    const now = new Date();
    // A run folder that was taken away fails the run where it writes next.
    utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs);
  beat.unref();
  return () => {
    clearInterval(beat);
    return rm(path, { force: true });
  };
}

/**
 * Takes the run for this process: one writer a run, whatever number of windows and CLIs.
 * @returns the release. Throws run-busy while a live process holds it.
 */
export async function acquireLease(runDir: string): Promise<() => Promise<void>> {
  const path = leasePath(runDir);
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const stale = `${own}.stale`;
  try {
    await writeFile(own, JSON.stringify(ownIdentity()));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await linked(own, path)) return keepAlive(path);
      const holder = await liveHolder(path);
      if (holder !== null) {
        throw new WorkbenchError('run-busy', `Process ${holder.pid} is working on this run`, {
          where: runDir,
        });
      }
      // The holder is dead. Of several that find this out, rename lets one have the old lease;
      // should it be the new one of a faster process, it is put back.
      const taken = await rename(path, stale).then(
        () => true,
        () => false,
      );
      if (taken && (await liveHolder(stale)) !== null) await linked(stale, path);
      await rm(stale, { force: true });
    }
    throw new WorkbenchError('run-busy', 'Another process takes this run at the same moment', {
      where: runDir,
    });
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await rm(own, { force: true });
  }
}
