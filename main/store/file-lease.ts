import type { Stats } from 'node:fs';
import { link, lstat, readFile, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { makeFolder, temporaryBeside } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { fileError } from '../platform/plain-entry';
import { isAlive, ownIdentity, ownPlace, placeSchema, relationTo } from '../platform/process';

/** Name inside the run folder; its time is the holder's last sign of life. */
export const leaseFile = 'lease.json';

/** Of a folder that is made and removed while it is held, as a deployment's: beside it. */
export const leaseBeside = (dir: string) => `${dir}.lease`;

const leasePath = (runDir: string) => join(runDir, leaseFile);

/** The live process that holds the run; null when nobody does. A dead holder's lease counts as none. */
export function leaseHolder(runDir: string): Promise<LeaseHolder | null> {
  return readLiveHolder(leasePath(runDir));
}

/** True where the run was last held on another machine or in another PID namespace, by a live process or a dead one. */
export function isHeldElsewhere(runDir: string): Promise<boolean> {
  return isForeignLease(leasePath(runDir));
}

/** Who holds a run, for an error: `Process 12` or `Process 12 on host`. */
export function holderText({ pid, host }: LeaseHolder): string {
  return host === undefined ? `Process ${pid}` : `Process ${pid} on ${host}`;
}

/**
 * Takes the run for this process: one writer a run, whatever number of windows and CLIs.
 * @returns the release. Throws run-busy while a live process holds it.
 */
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
  /** What it holds the lease for; absent where the place of the file says it. */
  what: z.string().optional(),
});
type Lease = z.infer<typeof leaseSchema>;

/** A live process and what it holds a lease for. */
export interface LeaseHolder {
  readonly pid: number;
  readonly startTime: string;
  readonly what?: string | undefined;
  /** The machine, where the process cannot be looked up from here. */
  readonly host?: string;
}

const heartbeatMs = 5000;
/**
 * How long a holder that cannot be looked up counts as alive after its last sign of life: twelve heartbeats, so that a
 * busy process or a clock that differs a little does not make two writers.
 */
export const foreignLeaseMs = 60_000;

/** `release` where it was taken; `holder` where a live process has it; null where another takes it at this moment. */
type LeaseAnswer =
  | { readonly release: () => Promise<void>; readonly holder?: undefined }
  | { readonly release?: undefined; readonly holder: LeaseHolder | null };

/** What the file says; `broken` where it is not a lease, also where it is not a file; `none` where nothing is there. */
async function readLease(path: string): Promise<{ lease: Lease; found: Stats } | 'broken' | 'none'> {
  try {
    const found = await lstat(path);
    // Reading a folder fails, and reading a FIFO never ends.
    if (!found.isFile()) return 'broken';
    const lease = leaseSchema.safeParse(jsonOrNull(await readFile(path, 'utf8'))).data;
    return lease === undefined ? 'broken' : { lease, found };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw error;
  }
}

/** The live process that the file names, `dead` where none lives that it names, `none` where there is no file. */
async function readHolder(path: string): Promise<LeaseHolder | 'dead' | 'none'> {
  const read = await readLease(path);
  if (read === 'none') return 'none';
  if (read === 'broken') return 'dead';
  const { place, ...holder } = read.lease;
  if (place === undefined || relationTo(place) === 'here') return isAlive(holder) ? holder : 'dead';
  const isFresh = Math.abs(Date.now() - read.found.mtimeMs) < foreignLeaseMs;
  return isFresh ? { ...holder, host: place.host } : 'dead';
}

/** True where the file names a process of another machine or PID namespace, alive or dead. */
async function isForeignLease(path: string): Promise<boolean> {
  const read = await readLease(path);
  return typeof read !== 'string' && relationTo(read.lease.place) === 'elsewhere';
}

/** The live process that the file names; null when there is none. A dead holder's lease counts as none. */
export async function readLiveHolder(path: string): Promise<LeaseHolder | null> {
  const holder = await readHolder(path);
  return typeof holder === 'string' ? null : holder;
}

/** This process as the content of a lease. */
export function ownHolder(what?: string): Lease {
  return { ...ownIdentity(), place: ownPlace(), ...(what === undefined ? {} : { what }) };
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

/**
 * Shows from now on that this process lives.
 * @param content of the file, which tells it from one that another puts there: who cannot look this process up takes it
 * for dead once it was held up for long.
 * @returns the release.
 */
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
      // A folder that was taken away fails its user where it writes next.
      .catch(() => undefined);
  }, heartbeatMs);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if (await isOwn()) await rm(path, { force: true });
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

/** Longer than a change takes on a slow disk. */
const turnMs = 10_000;

/**
 * One change at a time, of all processes, to what the file is: the person may have put a link there.
 * @param what "the settings", for the error when the turn does not come: file-unwritable.
 */
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
