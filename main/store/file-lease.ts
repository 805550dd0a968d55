import type { Stats } from 'node:fs';
import { link, lstat, readFile, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { makeFolder, temporaryBeside } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { fileError } from '../platform/plain-entry';
import { isAlive, ownIdentity, ownPlace, relationTo } from '../platform/process';
import { placeSchema } from '../platform/process-place';

/** In the run folder; its mtime is the last heartbeat. */
export const leaseFile = 'lease.json';

/** Beside folders that are created and removed under the lease. */
export const leaseBeside = (dir: string) => `${dir}.lease`;

const leasePath = (runDir: string) => join(runDir, leaseFile);

/** The live holder, or null. */
export function leaseHolder(runDir: string): Promise<LeaseHolder | null> {
  return readLiveHolder(leasePath(runDir));
}

/** Whether the last holder was on another machine or PID namespace, dead or alive. */
export function isHeldElsewhere(runDir: string): Promise<boolean> {
  return isForeignLease(leasePath(runDir));
}

/** `Process 12` or `Process 12 on host`. */
export function holderText({ pid, host }: LeaseHolder): string {
  return host === undefined ? `Process ${pid}` : `Process ${pid} on ${host}`;
}

/** One writer per run. @returns the release. Throws run-busy while a live process holds it. */
export async function acquireLease(runDir: string): Promise<() => Promise<void>> {
  const { release, holder } = await takeFileLease(leasePath(runDir));
  if (release !== undefined) return release;
  const message =
    holder === null
      ? 'Another process started on this run at the same time'
      : `${holderText(holder)} is working on this run`;
  throw new WorkbenchError('run-busy', message, { where: runDir });
}

const leaseSchema = z.object({
  pid: z.int(),
  startTime: z.string(),
  place: placeSchema.optional(),
  /** Purpose; absent if the file's location implies it. */
  what: z.string().optional(),
});
type Lease = z.infer<typeof leaseSchema>;

/** A live process and its purpose. */
export interface LeaseHolder {
  readonly pid: number;
  readonly startTime: string;
  readonly what?: string | undefined;
  /** The other machine, if the process cannot be looked up. */
  readonly host?: string;
}

const heartbeatMs = 5000;
/** Timeout of holders that cannot be looked up: twelve heartbeats tolerate busy processes and clock differences. */
export const foreignLeaseMs = 60_000;

/** `holder`: held by a live process; null: being taken. */
type LeaseAnswer =
  | { readonly release: () => Promise<void>; readonly holder?: undefined }
  | { readonly release?: undefined; readonly holder: LeaseHolder | null };

/** `broken`: not a lease or not a file; `none`: missing. */
async function readLease(path: string): Promise<{ lease: Lease; found: Stats } | 'broken' | 'none'> {
  try {
    const found = await lstat(path);
    // Folders fail to read, and FIFOs block.
    if (!found.isFile()) return 'broken';
    const lease = leaseSchema.safeParse(jsonOrNull(await readFile(path, 'utf8'))).data;
    return lease === undefined ? 'broken' : { lease, found };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw error;
  }
}

/** `dead`: its process is gone; `none`: no file. */
async function readHolder(path: string): Promise<LeaseHolder | 'dead' | 'none'> {
  const read = await readLease(path);
  if (read === 'none') return 'none';
  if (read === 'broken') return 'dead';
  const { place, ...holder } = read.lease;
  if (place === undefined || relationTo(place) === 'here') return isAlive(holder) ? holder : 'dead';
  const isFresh = Math.abs(Date.now() - read.found.mtimeMs) < foreignLeaseMs;
  return isFresh ? { ...holder, host: place.host } : 'dead';
}

/** Names a process on another machine or PID namespace. */
async function isForeignLease(path: string): Promise<boolean> {
  const read = await readLease(path);
  return typeof read !== 'string' && relationTo(read.lease.place) === 'elsewhere';
}

/** The live holder, or null. */
export async function readLiveHolder(path: string): Promise<LeaseHolder | null> {
  const holder = await readHolder(path);
  return typeof holder === 'string' ? null : holder;
}

export function ownHolder(what?: string): Lease {
  return { ...ownIdentity(), place: ownPlace(), ...(what === undefined ? {} : { what }) };
}

/** Atomic link with content; false if taken. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Heartbeat. @param content identifies the file, which others may replace after a stall. @returns the release */
export function keepAlive(path: string, content: string): () => Promise<void> {
  const isOwn = () =>
    readFile(path, 'utf8').then(
      (found) => found === content,
      () => false,
    );
  const beat = setInterval(() => {
    const now = new Date();
    isOwn()
      .then((own) => (own ? utimes(path, now, now) : undefined))
      // A removed folder fails its user's next write.
      .catch(() => undefined);
  }, heartbeatMs);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if (await isOwn()) await rm(path, { force: true });
  };
}

/**
 * Replaces a dead holder's lease atomically; false if another was faster. Serialized, so that a new lease is not
 * mistaken for the dead one; the name is never free in between.
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

/** Takes a lease once; fails even within this process. The mtime is the heartbeat. Throws disk-full, file-unwritable. */
export async function takeFileLease(path: string, what?: string): Promise<LeaseAnswer> {
  const own = temporaryBeside(path);
  const content = JSON.stringify(ownHolder(what));
  try {
    await writeFile(own, content);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await linked(own, path)) return { release: keepAlive(path, content) };
      const holder = await readHolder(path);
      if (typeof holder !== 'string') return { holder };
      if (holder === 'dead' && (await replaceDead(own, path))) return { release: keepAlive(path, content) };
    }
    return { holder: null };
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await rm(own, { force: true });
  }
}

/** Longer than a write on a slow disk. */
const turnMs = 10_000;

/** Serializes changes to a file across processes. @param what "the settings", for file-unwritable on timeout */
export async function withFileTurn<Result>(
  file: string,
  what: string,
  work: (place: string) => Promise<Result>,
): Promise<Result> {
  await makeFolder(dirname(file));
  const place = await realpath(file).catch(() => file);
  const end = Date.now() + turnMs;
  for (;;) {
    const { release } = await takeFileLease(`${file}.lease`, `a change of ${what}`);
    if (release !== undefined) {
      try {
        return await work(place);
      } finally {
        await release();
      }
    }
    if (Date.now() > end) {
      throw new WorkbenchError('file-unwritable', `Another process is changing ${what}`, {
        where: file,
        remedy: 'Try again when it has ended.',
      });
    }
    await setTimeout(5 + Math.random() * 20);
  }
}
