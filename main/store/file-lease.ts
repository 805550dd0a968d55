import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileError } from '../platform/file-error';
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

/** The live process that the file names, `dead` where none lives that it names, `none` where there is no file. */
async function readHolder(path: string): Promise<LeaseHolder | 'dead' | 'none'> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return 'none';
  const parsed = holderSchema.safeParse(parseJson(text));
  return parsed.success && isAlive(parsed.data) ? parsed.data : 'dead';
}

/** The live process that the file names; null when there is none. A dead holder's lease counts as none. */
export async function readLiveHolder(path: string): Promise<LeaseHolder | null> {
  const holder = await readHolder(path);
  return typeof holder === 'string' ? null : holder;
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
 * Puts `own` in the place of a dead holder's lease; false when another was faster. One at a time, as who looks and then
 * acts could find the new lease of a faster one; and at no time is the name free, or a third could link there.
 */
async function replaceDead(own: string, path: string): Promise<boolean> {
  const turn = await takeFileLease(`${path}.turn`);
  if (turn.release === undefined) return false;
  try {
    if ((await readHolder(path)) !== 'dead') return false;
    await rename(own, path);
    return true;
  } finally {
    await turn.release();
  }
}

/**
 * Takes a lease for this process, once: also a second try of the same process finds it held.
 * The file's time is the holder's last sign of life. The folder must be there. Throws disk-full, file-unwritable.
 */
export async function takeFileLease(path: string, what?: string): Promise<LeaseAnswer> {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(own, JSON.stringify(ownHolder(what)));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await linked(own, path)) return { release: keepAlive(path) };
      const holder = await readHolder(path);
      if (typeof holder !== 'string') return { holder };
      if (holder === 'dead' && (await replaceDead(own, path))) return { release: keepAlive(path) };
    }
    return { holder: null };
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await rm(own, { force: true });
  }
}
