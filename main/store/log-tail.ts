import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { fileError } from '../platform/file-error';
import { openPlain, requirePlainEntry } from '../platform/plain-entry';

/** The end of a log that is read: of 20,000 lines, which is what a window asks for, each may have 800 bytes. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Last `limit` lines of a step's log in a run folder; none where there is no log. Neither the log nor the folders of the step
 * and of the steps may be links. Throws run-folder-unsafe.
 */
export async function readLogTail(path: string, limit: number): Promise<string[]> {
  const stepFolder = dirname(path);
  for (const folder of [dirname(stepFolder), stepFolder]) await requirePlainEntry(folder);
  try {
    const file = await openPlain(path, constants.O_RDONLY);
    try {
      const { size } = await file.stat();
      const from = Math.max(0, size - mostBytes);
      const buffer = Buffer.alloc(size - from);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      // The first one has lost its beginning.
      if (from > 0) lines.shift();
      if (lines[lines.length - 1] === '') lines.pop();
      return lines.slice(-limit);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw fileError(error, path);
  }
}
