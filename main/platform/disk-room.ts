import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a file system still takes. */
export interface DiskRoom {
  /** A folder on it. */
  readonly folder: string;
  readonly freeBytes: number;
  /** null where the file system has no fixed number of files. */
  readonly freeFiles: number | null;
}

/** Writers end with less than they asked for: what is left over is below these. */
const nearlyNothing = { bytes: 2 ** 20, files: 8 };

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Room for this user where `path` is or would be; null when the system does not say. */
export async function roomAt(path: string): Promise<DiskRoom | null> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { bavail, bsize, files, ffree } = await statfs(folder);
      return { folder, freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || folder === dirname(folder)) return null;
    }
  }
}

/** So little is left that a write that failed just now may have failed for it. */
export function isFull({ freeBytes, freeFiles }: DiskRoom): boolean {
  return freeBytes < nearlyNothing.bytes || (freeFiles !== null && freeFiles < nearlyNothing.files);
}

/** The error of the system that a full disk (or quota) is behind `error`; null when its causes hold none. Pure. */
export function fullDiskCause(error: unknown): NodeJS.ErrnoException | null {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (fullCodes.has((cause as NodeJS.ErrnoException).code)) return cause;
  }
  return null;
}
