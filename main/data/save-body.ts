import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { fileError } from '../platform/file-error';
import type { Begun } from './answer-plan';

interface SaveBody {
  readonly path: string;
  /** First byte to write at. */
  readonly from: number;
  /** Bytes that the file may have at most. */
  readonly limit: number;
  /** Called with the bytes in the file after every piece. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Streams a body into a file, a piece at a time, and at its end to the disk.
 * Gives the bytes then in the file. Throws disk-full, file-unwritable, download-invalid, or what the stream threw.
 */
export async function saveBody(
  body: ReadableStream<Uint8Array> | null,
  { path, from, limit, onBytes }: SaveBody,
): Promise<number> {
  const file = await open(path, from === 0 ? 'w' : 'r+').catch((error: unknown) => {
    throw fileError(error, path);
  });
  const reader = body?.getReader();
  let at = from;
  const write = async (piece: Uint8Array): Promise<void> => {
    try {
      for (let done = 0; done < piece.length;) {
        const { bytesWritten } = await file.write(piece, done, piece.length - done, at);
        done += bytesWritten;
        at += bytesWritten;
      }
    } catch (error) {
      throw fileError(error, path);
    }
  };
  try {
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      if (at + piece.value.length > limit) {
        throw new WorkbenchError(
          'download-invalid',
          `The server sends more than the ${limit} bytes of the file`,
        );
      }
      await write(piece.value);
      onBytes(at);
    }
    await file.datasync();
    return at;
  } catch (error) {
    reader?.cancel().catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

const recordSchema = z.object({
  address: z.string(),
  validator: z.string().min(1),
  total: z.int().positive(),
});

/** What is there of a download, with what says which content it is of. */
export interface PartFile {
  readonly path: string;
  /** null where nothing is there that could go on. */
  begun(address: string): Promise<Begun | null>;
  /** Empties it; a content without validator or size leaves no record, so that it is never gone on with. */
  begin(
    address: string,
    content: { readonly validator: string; readonly total: number | null },
  ): Promise<void>;
  remove(): Promise<void>;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Bytes of `file` that have come so far; 0 where they could not go on. */
export async function partBytes(file: string, address: string): Promise<number> {
  return (await createPartFile(file).begun(address))?.bytes ?? 0;
}

/** `<file>.part` and its record `<file>.part.json`. */
export function createPartFile(file: string): PartFile {
  const path = `${file}.part`;
  const recordPath = `${path}.json`;
  const remove = async () => {
    await rm(recordPath, { force: true });
    await rm(path, { force: true });
  };
  return {
    path,
    remove,
    async begun(address) {
      const bytes = await sizeOf(path);
      const text = await readFile(recordPath, 'utf8').catch(() => '');
      let record: unknown = null;
      try {
        record = JSON.parse(text);
      } catch {
        // None was written, or only half of it: then nothing says what the bytes are of.
      }
      const parsed = recordSchema.safeParse(record);
      if (bytes === 0 || !parsed.success || parsed.data.address !== address) return null;
      const { validator, total } = parsed.data;
      return bytes > total ? null : { bytes, validator, total };
    },
    async begin(address, { validator, total }) {
      // First the bytes: a record must never stand beside those of another content.
      await rm(recordPath, { force: true });
      await (await open(path, 'w')).close();
      if (validator === '' || total === null || total === 0) return;
      // Half of a record is none.
      await writeFile(recordPath, JSON.stringify({ address, validator, total }));
    },
  };
}
