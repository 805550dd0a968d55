import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Checksum } from '../contract/data-source';
import { WorkbenchError } from '../contract/errors';

/** What is published of a file. */
export interface Published {
  readonly bytes: number | null;
  readonly checksum: Checksum | null;
}

/**
 * Compares a file with what is published of it. `onProgress`: bytes read so far and in all.
 * Throws download-invalid, cancelled.
 */
export async function checkFile(
  path: string,
  { bytes, checksum }: Published,
  signal: AbortSignal,
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<void> {
  const { size } = await stat(path);
  if (bytes !== null && size !== bytes) {
    throw new WorkbenchError(
      'download-invalid',
      `The file has ${size} bytes, but the published size is ${bytes}`,
      {
        where: path,
      },
    );
  }
  if (checksum === null) return;
  const hash = createHash(checksum.algorithm);
  let done = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    if (signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled while the checksum was computed');
    hash.update(chunk as Buffer);
    done += (chunk as Buffer).length;
    onProgress(done, size);
  }
  const found = hash.digest('hex');
  if (found !== checksum.value) {
    throw new WorkbenchError(
      'download-invalid',
      `The ${checksum.algorithm} of the file is ${found}, but the published value is ${checksum.value}`,
      { where: path },
    );
  }
}
