import { open } from 'node:fs/promises';
import { WorkbenchError } from '../contract/errors';
import { fileError } from '../platform/file-error';

export interface SaveBody {
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
