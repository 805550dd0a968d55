import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Checksum } from '../contract/data-source';
import { WorkbenchError } from '../contract/errors';
import { jsonOrNull } from '../platform/parse-json';
import { fileError } from '../platform/plain-entry';

export interface Published {
  readonly bytes: number | null;
  readonly checksum: Checksum | null;
}

export const invalidDownload = (message: string, where?: string, remedy?: string): WorkbenchError =>
  new WorkbenchError('download-invalid', message, { where, remedy });

/** `onProgress`: bytes read and total. Throws download-invalid, cancelled. */
export async function checkFile(
  path: string,
  { bytes, checksum }: Published,
  signal: AbortSignal,
  onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<void> {
  const { size } = await stat(path);
  if (bytes !== null && size !== bytes) {
    throw invalidDownload(`The file has ${size} bytes, but the published size is ${bytes}`, path);
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
    throw invalidDownload(
      `The ${checksum.algorithm} of the file is ${found}, but the published value is ${checksum.value}`,
      path,
    );
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** `total`: size when the download began. */
export interface Begun {
  readonly bytes: number;
  /** Identifies the content: a strong ETag, else its date. */
  readonly validator: string;
  readonly total: number;
}

/** `from`: first byte of the body; `total` null where unknown. */
type AnswerPlan =
  | {
      readonly kind: 'take';
      readonly from: number;
      readonly total: number | null;
      readonly validator: string;
    }
  /** All bytes are already here. */
  | { readonly kind: 'whole' }
  /** Partial content is unusable: request the whole file. */
  | { readonly kind: 'anew' }
  | { readonly kind: 'refuse'; readonly error: WorkbenchError; readonly again: boolean };

const wholeNumber = (text: string | null | undefined): number | null =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** A weak ETag may cover other bytes, so it resumes nothing (RFC 9110, 13.1.5). */
function validatorOf(headers: Headers): string {
  const etag = headers.get('etag') ?? '';
  return etag.startsWith('"') ? etag : (headers.get('last-modified') ?? '');
}

/** Parses "bytes 200-999/1000" or, without a range, "bytes *" and the total. */
function parseContentRange(text: string | null): { first: number | null; total: number | null } {
  const [, first, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(text ?? '') ?? [];
  return { first: wholeNumber(first), total: wholeNumber(total) };
}

const askAgain = (status: number): boolean => status === 408 || status === 429 || status >= 500;

function refusal(status: number): WorkbenchError {
  const denied = status === 401 || status === 403;
  return new WorkbenchError('download-failed', `The server returned HTTP status ${status}`, {
    ...(denied
      ? { remedy: 'The file requires an account or an accepted license. Download it by hand from its page.' }
      : {}),
    ...(status === 404 || status === 410
      ? { remedy: 'The file no longer exists. See its page for the new address.' }
      : {}),
  });
}

function planRest(headers: Headers, encoding: string, begun: Begun): AnswerPlan {
  const { first, total } = parseContentRange(headers.get('content-range'));
  const now = validatorOf(headers);
  const same = first === begun.bytes && total === begun.total && (now === '' || now === begun.validator);
  return same && encoding === 'identity'
    ? { kind: 'take', from: begun.bytes, total, validator: begun.validator }
    : { kind: 'anew' };
}

/** Decides what to do with a response, given the partial file. */
export function planAnswer(answer: Answer, begun: Begun | null): AnswerPlan {
  const { status, headers } = answer;
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (status === 206 && begun !== null) return planRest(headers, encoding, begun);
  if (status === 416 && begun !== null) {
    const { total } = parseContentRange(headers.get('content-range'));
    return total === begun.bytes && total === begun.total ? { kind: 'whole' } : { kind: 'anew' };
  }
  // Also when the rest was requested: no range support, or changed content.
  if (status === 200) {
    const total = encoding === 'identity' ? wholeNumber(headers.get('content-length')) : null;
    return { kind: 'take', from: 0, total, validator: encoding === 'identity' ? validatorOf(headers) : '' };
  }
  return { kind: 'refuse', error: refusal(status), again: askAgain(status) };
}

interface SaveBody {
  readonly path: string;
  readonly from: number;
  /** Most bytes of the file. */
  readonly limit: number;
  /** Called with the file's bytes after every chunk. */
  readonly onBytes: (bytes: number) => void;
}

/** @returns the file's bytes. Throws disk-full, file-unwritable, download-invalid, or what the stream threw. */
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
        throw invalidDownload(`The server sends more than the ${limit} bytes of the file`);
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

/** A partial download with the record of its content. */
export interface PartFile {
  readonly path: string;
  /** null where nothing can be continued. */
  begun(address: string): Promise<Begun | null>;
  /** Empties it; without validator or size no record is kept, so that it is never continued. */
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

/** Bytes of `file` received so far; 0 where they cannot be continued. */
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
      // Without a complete record the bytes' origin is unknown.
      const parsed = recordSchema.safeParse(jsonOrNull(text));
      if (bytes === 0 || !parsed.success || parsed.data.address !== address) return null;
      const { validator, total } = parsed.data;
      return bytes > total ? null : { bytes, validator, total };
    },
    async begin(address, { validator, total }) {
      // The old record goes first: it must never accompany other bytes.
      await rm(recordPath, { force: true });
      await (await open(path, 'w')).close();
      if (validator === '' || total === null || total === 0) return;
      // A partial record is invalid.
      await writeFile(recordPath, JSON.stringify({ address, validator, total }));
    },
  };
}
