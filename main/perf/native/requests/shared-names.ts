import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../../../contract/errors';
import { isAlive, ownIdentity, pidNamespace } from '../../../platform/process';
import type { SharedJob } from '../seam/load-job';
import type { RequestInputs } from './batch-payloads';

/** A tensor's location in a region. */
export interface SharedPlace {
  readonly region: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Bytes of each output compared with the response over the network. */
export const comparedBytes = 2 ** 20;

/** Alignment of tensors: a cache line. */
const alignment = 64;
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Offsets by payload and tensor, and the total size. */
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

/** Active requests share `common`, as in perf_analyzer, so that memory does not grow; a checked one uses `watched`. */
const outputSets = { common: 0, watched: 1 } as const;
export type OutputSet = keyof typeof outputSets;

export const outputOffset = (
  job: Pick<SharedJob, 'outputNames' | 'outputBytes'>,
  set: OutputSet,
  output: number,
): number => (outputSets[set] * job.outputNames.length + output) * aligned(job.outputBytes);

export const outputRegionBytes = (job: Pick<SharedJob, 'outputNames' | 'outputBytes'>): number =>
  Object.keys(outputSets).length * job.outputNames.length * aligned(job.outputBytes);

/** Linux exposes POSIX shared memory as files here. */
export const sharedFolder = '/dev/shm';

const ownName = /^triton-workbench-(\d+)-(\d+)-(\d+)-[\da-f]{12}-(?:in|out)$/;

/** A unique name with its owner: process id, start time and namespace. */
export function sharedName(): string {
  const { pid, startTime } = ownIdentity();
  return `triton-workbench-${pid}-${startTime}-${pidNamespace()}-${randomBytes(6).toString('hex')}`;
}

/** Removes files of {@link sharedName} whose owner is gone. @returns their names */
export async function sweepSharedFiles(folder = sharedFolder): Promise<readonly string[]> {
  const removed: string[] = [];
  const namespace = pidNamespace();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, startTime = '', from] = ownName.exec(name) ?? [];
    if (pid === undefined || from !== namespace || isAlive({ pid: Number(pid), startTime })) continue;
    const gone = await rm(join(folder, name)).then(
      () => true,
      // Another user's file, or already removed.
      () => false,
    );
    if (gone) removed.push(name);
  }
  return removed;
}

interface SharedPart {
  readonly at: number;
  readonly data: Uint8Array;
}

const chunkBytes = 1024 ** 2;

/** A nearly full file system writes partially, and reports the error only at the next write. */
async function writeWhole(file: Pick<FileHandle, 'write'>, { at, data }: SharedPart): Promise<void> {
  for (let done = 0; done < data.byteLength;) {
    const { bytesWritten } = await file.write(data, done, data.byteLength - done, at + done);
    done += bytesWritten;
  }
}

/** Allocates the whole file, so that a full /dev/shm fails here rather than with SIGBUS in Triton. */
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

/** Creates a region's file by key ("/name"). Throws load-tool-failed if it exists or space is missing. */
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
