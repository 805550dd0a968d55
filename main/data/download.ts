import { rename, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { urlOrNull } from '../contract/address';
import { WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import { linkedAbort } from '../platform/abort';
import { makeFolder } from '../platform/files';
import { fetchReason, fileError } from '../platform/plain-entry';
import {
  type Begun,
  checkFile,
  createPartFile,
  invalidDownload,
  type PartFile,
  planAnswer,
  type Published,
  saveBody,
} from './save-body';

/** Publishers redirect to a mirror, and that one to a signed address. */
const mostRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects, all https where the address is: one unencrypted hop could choose the rest.
 * Throws download-invalid, and what fetch throws.
 */
export async function openAddress(address: string, request: RequestInit): Promise<Response> {
  const secure = address.startsWith('https:');
  let at = new URL(address);
  for (let hops = 0; ; hops += 1) {
    const response = await fetch(at, { ...request, redirect: 'manual' });
    const location = redirects.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    if (hops === mostRedirects) {
      throw invalidDownload(`${address} redirects more than ${mostRedirects} times`, address);
    }
    const next = urlOrNull(location, at);
    if (next === null || (next.protocol !== 'https:' && (secure || next.protocol !== 'http:'))) {
      const to = next === null ? 'an invalid address' : `${next.protocol}//${next.host}`;
      const remedy = 'Download the file by hand from its page, and compare its checksum.';
      throw invalidDownload(`${address} redirects to ${to}, which is not https`, address, remedy);
    }
    at = next;
  }
}

/** Left free for everything else. */
const reserveBytes = 256 * 1024 ** 2;

/** Bytes this user may still write in a folder's file system. */
async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Throws disk-full before anything is written. */
function requireSpace(folder: string, neededBytes: number, freeBytes: number): void {
  if (neededBytes + reserveBytes <= freeBytes) return;
  throw new WorkbenchError(
    'disk-full',
    `The file and its unpacked content need ${formatBytes(neededBytes)}, but only ${formatBytes(freeBytes)} are free`,
    {
      where: folder,
      remedy: 'Free some disk space, or choose a folder on another disk ("data fetch … --to DIR").',
    },
  );
}

export interface DownloadProgress {
  readonly phase: 'downloading' | 'waiting' | 'checking';
  readonly doneBytes: number;
  /** null while unknown. */
  readonly totalBytes: number | null;
}

export interface DownloadRequest extends Published {
  readonly address: string;
  /** Exists only when complete and verified; `<file>.part` until then. */
  readonly file: string;
  /** Further bytes needed on the same disk, for unpacking. */
  readonly extraBytes: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DownloadProgress) => void;
  /** A silent server counts as gone after this; 60 s. */
  readonly stallMs?: number;
  /** Delay after the first fruitless try, doubled after each; 2 s. */
  readonly retryMs?: number;
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/** Fruitless tries in a row; and all tries. */
const idleTries = 3;
const allTries = 50;
/** For files of unknown size. */
const unknownLimitBytes = 200 * 1024 ** 3;

/** May succeed on another try. */
class Interruption extends Error {
  override readonly name = 'Interruption';
  constructor(readonly failure: WorkbenchError) {
    super(failure.message);
  }
}

/** A signal that also aborts when `alive` is not called for `stallMs`. */
function watchdog(signal: AbortSignal, stallMs: number) {
  const { controller, dispose } = linkedAbort(signal);
  const timer = setTimeout(() => controller.abort(), stallMs);
  return {
    signal: controller.signal,
    alive: () => timer.refresh(),
    stop: () => {
      clearTimeout(timer);
      dispose();
    },
  };
}

const cancelled = () =>
  new WorkbenchError('cancelled', 'The download was cancelled', {
    remedy: 'Start it again to resume: the downloaded part is kept.',
  });

function sizeProblem({ address, bytes }: DownloadRequest, total: number | null): WorkbenchError | null {
  if (total === null || bytes === null || total === bytes) return null;
  return invalidDownload(
    `The file on the server has ${total} bytes, but the published size is ${bytes}`,
    address,
    'The file has changed. See its page, and provide a file that you downloaded by hand.',
  );
}

const interruption = (message: string, details?: { readonly where: string; readonly cause: unknown }) =>
  new Interruption(new WorkbenchError('download-failed', message, details));

async function receive(
  request: DownloadRequest,
  part: PartFile,
  begun: Begun | null,
  { signal, alive }: { readonly signal: AbortSignal; readonly alive: () => void },
): Promise<void> {
  const { address } = request;
  const response = await openAddress(address, {
    signal,
    headers: {
      // Byte positions must be those of the file itself.
      'accept-encoding': 'identity',
      ...(begun === null ? {} : { range: `bytes=${begun.bytes}-`, 'if-range': begun.validator }),
    },
  });
  const leave = () => response.body?.cancel().catch(() => undefined);
  const plan = planAnswer(response, begun);
  if (plan.kind !== 'take') void leave();
  if (plan.kind === 'whole') return;
  if (plan.kind === 'anew') {
    await part.remove();
    throw interruption('The file changed while it was downloaded');
  }
  if (plan.kind === 'refuse') throw plan.again ? new Interruption(plan.error) : plan.error;
  const { from, total, validator } = plan;
  const changed = sizeProblem(request, total);
  if (changed !== null) {
    void leave();
    throw changed;
  }
  const size = total ?? request.bytes;
  const folder = dirname(part.path);
  const free = await (request.freeBytes ?? freeBytesOf)(folder);
  requireSpace(folder, Math.max(0, (size ?? 0) - from) + request.extraBytes, free);
  if (from === 0) await part.begin(address, { validator, total });
  const bytes = await saveBody(response.body, {
    path: part.path,
    from,
    limit: size ?? unknownLimitBytes,
    onBytes: (doneBytes) => {
      alive();
      request.onProgress({ phase: 'downloading', doneBytes, totalBytes: size });
    },
  });
  if (size !== null && bytes < size) {
    throw interruption(`The connection ended after ${bytes} of ${size} bytes`);
  }
}

async function transfer(request: DownloadRequest, part: PartFile): Promise<void> {
  const { address, signal } = request;
  const begun = await part.begun(address);
  if (begun?.bytes === begun?.total && begun !== null) return;
  const stallMs = request.stallMs ?? 60_000;
  const watch = watchdog(signal, stallMs);
  try {
    await receive(request, part, begun, watch);
  } catch (error) {
    if (error instanceof WorkbenchError || error instanceof Interruption) throw error;
    if (signal.aborted) throw cancelled();
    const code = (error as NodeJS.ErrnoException).code;
    // An error of the file system has a path; network errors have none.
    if (code !== undefined && 'path' in (error as object)) throw fileError(error, part.path);
    const reason = watch.signal.aborted ? `no data received for ${stallMs / 1000} s` : fetchReason(error);
    throw interruption(reason, { where: address, cause: error });
  } finally {
    watch.stop();
  }
}

/** Tries until complete; a try with new bytes resets the count. */
async function transferAll(request: DownloadRequest, part: PartFile): Promise<void> {
  let best = (await part.begun(request.address))?.bytes ?? 0;
  let idle = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      await transfer(request, part);
      return;
    } catch (error) {
      if (!(error instanceof Interruption)) throw error;
      const bytes = (await part.begun(request.address))?.bytes ?? 0;
      idle = bytes > best ? 0 : idle + 1;
      best = Math.max(best, bytes);
      if (idle >= idleTries || tries >= allTries) throw error.failure;
      request.onProgress({ phase: 'waiting', doneBytes: bytes, totalBytes: request.bytes });
      await delay((request.retryMs ?? 2000) * 2 ** Math.max(0, idle - 1), undefined, {
        signal: request.signal,
      }).catch(() => {
        throw cancelled();
      });
    }
  }
}

/**
 * Downloads a file; continues an interrupted one if the content is unchanged. Throws download-failed, download-invalid,
 * disk-full, file-unwritable, cancelled. Received bytes are kept, unless the checksum is wrong.
 */
export async function downloadFile(request: DownloadRequest): Promise<void> {
  if (request.signal.aborted) throw cancelled();
  const folder = dirname(request.file);
  await makeFolder(folder).catch((error: unknown) => {
    throw fileError(error, folder);
  });
  const part = createPartFile(request.file);
  await transferAll(request, part);
  try {
    await checkFile(part.path, request, request.signal, (doneBytes, totalBytes) =>
      request.onProgress({ phase: 'checking', doneBytes, totalBytes }),
    );
  } catch (error) {
    if (error instanceof WorkbenchError && error.code === 'download-invalid') await part.remove();
    throw error;
  }
  await rename(part.path, request.file);
  // Only its record is left.
  await part.remove();
}
