import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../../../contract/errors';
import { isAlive, ownIdentity, pidNamespace } from '../../../platform/process';
import type { SharedJob } from '../seam/load-job';
import type { RequestInputs } from './batch-payloads';

/** Where a tensor lies in a region. */
export interface SharedPlace {
  readonly region: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Of each output as much is compared with the answer over the wire. */
export const comparedBytes = 2 ** 20;

/** Tensors begin at multiples of this: a cache line. */
const alignment = 64;
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Offsets of all inputs, by payload and then tensor, and the bytes of all of them together. */
export function inputLayout(payloads: readonly RequestInputs[]) {
  let bytes = 0;
  const offsets = payloads.map((inputs) =>
    inputs.map((input) => {
      const offset = bytes;
      bytes += aligned(input.data.length);
      return offset;
    }),
  );
  return { offsets, bytes: Math.max(alignment, bytes) };
}

/**
 * Where outputs are written: `common` by all requests under way, as perf_analyzer's do, so that the memory does not grow with
 * them; `watched` by the one whose answer is read back.
 */
const outputSets = { common: 0, watched: 1 } as const;
export type OutputSet = keyof typeof outputSets;

export const outputOffset = (
  job: Pick<SharedJob, 'outputNames' | 'outputBytes'>,
  set: OutputSet,
  output: number,
): number => (outputSets[set] * job.outputNames.length + output) * aligned(job.outputBytes);

/** Bytes of all sets. */
export const outputRegionBytes = (job: Pick<SharedJob, 'outputNames' | 'outputBytes'>): number =>
  Object.keys(outputSets).length * job.outputNames.length * aligned(job.outputBytes);

/** Where POSIX shared memory is files. */
export const sharedFolder = '/dev/shm';

const ownName = /^triton-workbench-(\d+)-(\d+)-(\d+)-[\da-f]{12}-(?:in|out)$/;

/** A name that nobody else has and that tells its owner: process id, its start time and the namespace of both. */
export function sharedName(): string {
  const { pid, startTime } = ownIdentity();
  return `triton-workbench-${pid}-${startTime}-${pidNamespace()}-${randomBytes(6).toString('hex')}`;
}

/**
 * Removes the shared memory that dead workbenches left: files of {@link sharedName} alone, and of these only those whose
 * owner is gone. @returns their names; none where there is no such folder or nothing may be removed.
 */
export async function sweepSharedFiles(folder = sharedFolder): Promise<readonly string[]> {
  const removed: string[] = [];
  const namespace = pidNamespace();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, startTime = '', from] = ownName.exec(name) ?? [];
    if (pid === undefined || from !== namespace || isAlive({ pid: Number(pid), startTime })) continue;
    const gone = await rm(join(folder, name)).then(
      () => true,
      // Another user's, or another process was faster.
      () => false,
    );
    if (gone) removed.push(name);
  }
  return removed;
}

/** Bytes and where in the file they stand. */
interface SharedPart {
  readonly at: number;
  readonly data: Uint8Array;
}

const chunkBytes = 1024 ** 2;

/** A file system that is nearly full takes a part of what it is given, and says so only of the next one. */
async function writeWhole(file: Pick<FileHandle, 'write'>, { at, data }: SharedPart): Promise<void> {
  for (let done = 0; done < data.byteLength;) {
    const { bytesWritten } = await file.write(data, done, data.byteLength - done, at + done);
    done += bytesWritten;
  }
}

/**
 * Takes the room of a whole file in shared memory and writes the parts: where it is missing that is an error here, and not the
 * end of Triton by SIGBUS once it writes an answer there.
 */
export async function fillShared(
  file: Pick<FileHandle, 'write'>,
  bytes: number,
  parts: readonly SharedPart[],
): Promise<void> {
  const zeros = new Uint8Array(Math.min(bytes, chunkBytes));
  for (let at = 0; at < bytes; at += zeros.byteLength) {
    await writeWhole(file, { at, data: zeros.subarray(0, Math.min(zeros.byteLength, bytes - at)) });
  }
  for (const part of parts) await writeWhole(file, part);
}

/** Makes the file of a region by its key ("/name"). Throws load-tool-failed where it is there already or finds no room. */
export async function makeShared(key: string, bytes: number, parts: readonly SharedPart[]): Promise<void> {
  const path = `${sharedFolder}${key}`;
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new WorkbenchError('load-tool-failed', `${path} cannot be created`, { cause });
  });
  try {
    await fillShared(file, bytes, parts);
  } catch (cause) {
    throw new WorkbenchError('load-tool-failed', `${path} has no space for ${bytes} bytes`, {
      remedy: 'Free /dev/shm, or increase the shared memory of the Triton container (--shm-size-mib).',
      cause,
    });
  } finally {
    await file.close();
  }
}
