import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writtenRecord } from './journal-line';

/** What the list of runs asks of every journal, by one look at the file. */
export interface JournalHead {
  /**
   * What tells this very journal from another one, or from what it was: its file, which no copy has, its times, of which
   * the second cannot be set, and its end.
   */
  readonly mark: string;
  readonly bytes: number;
  /** The record that created the run, as it was written; null where its line is damaged or longer than 1 MiB. */
  readonly first: object | null;
}

/** The end of the journal, with the checksum of its last line. */
const endBytes = 1024;
const mostStartBytes = 2 ** 20;
/** A first record takes some thousand bytes: one read in most cases. */
const startPartBytes = 2 ** 14;
const newline = 0x0a;

async function firstLine(file: FileHandle): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (let length = 0; length < mostStartBytes;) {
    const room = Buffer.allocUnsafe(Math.min(startPartBytes, mostStartBytes - length));
    const { bytesRead } = await file.read(room, 0, room.length, length);
    if (bytesRead === 0) return null;
    const end = room.subarray(0, bytesRead).indexOf(newline);
    parts.push(room.subarray(0, end === -1 ? bytesRead : end));
    if (end !== -1) return Buffer.concat(parts);
    length += bytesRead;
  }
  return null;
}

/** null where there is no journal that can be read. */
export async function readJournalHead(path: string): Promise<JournalHead | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    const { ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    const end = Buffer.alloc(Math.min(endBytes, Number(size)));
    await file.read(end, 0, end.length, Number(size) - end.length);
    const hash = createHash('sha256').update(end).digest('hex');
    const line = await firstLine(file);
    return {
      mark: [ino, size, mtimeNs, ctimeNs, hash].join(' '),
      bytes: Number(size),
      first: line === null ? null : writtenRecord(line),
    };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
