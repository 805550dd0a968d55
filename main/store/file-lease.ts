import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileError } from '../platform/files';
import { isAlive, ownIdentity } from '../platform/process-identity';

const holderSchema = z.object({
  pid: z.int(),
  startTime: z.string(),
  /** What it holds the lease for; absent where the place of the file says it. */
  what: z.string().optional(),
});
/** A live process and what it holds a lease for. */
export type LeaseHolder = z.infer<typeof holderSchema>;

const heartbeatMs = 5000;

/** `release` where it was taken; `holder` where a live process has it; null where another takes it at this moment. */
export type LeaseAnswer =
  | { readonly release: () => Promise<void>; readonly holder?: undefined }
  | { readonly release?: undefined; readonly holder: LeaseHolder | null };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The live process that the file names; null when there is none. A dead holder's lease counts as none. */
export async function readLiveHolder(path: string): Promise<LeaseHolder | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  const parsed = holderSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success && isAlive(parsed.data) ? parsed.data : null;
}

/** This process as the content of a lease. */
export function ownHolder(what?: string): LeaseHolder {
  return { ...ownIdentity(), ...(what === undefined ? {} : { what }) };
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
    // A folder that was taken away fails its user where it writes next.
    utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs);
  beat.unref();
  return () => {
    clearInterval(beat);
    return rm(path, { force: true });
  };
}

/**
 * Takes a lease for this process, once: also a second try of the same process finds it held.
 * The file's time is the holder's last sign of life. The folder must be there. Throws disk-full, file-unwritable.
 */
export async function takeFileLease(path: string, what?: string): Promise<LeaseAnswer> {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const stale = `${own}.stale`;
  try {
    await writeFile(own, JSON.stringify(ownHolder(what)));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await linked(own, path)) return { release: keepAlive(path) };
      const holder = await readLiveHolder(path);
      if (holder !== null) return { holder };
      // The holder is dead. Of several that find this out, rename lets one have the old lease;
      // should it be the new one of a faster process, it is put back.
      const taken = await rename(path, stale).then(
        () => true,
        () => false,
      );
      if (taken && (await readLiveHolder(stale)) !== null) await linked(stale, path);
      await rm(stale, { force: true });
    }
    return { holder: null };
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await rm(own, { force: true });
  }
}
