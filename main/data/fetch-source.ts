import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { DataSource, DownloadSource } from '../contract/data-source';
import { WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import { exists, makeFolder } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import { takeFileLease } from '../store/file-lease';
import { silentListener, type Toolkit, type ToolkitListener } from '../toolkit/toolkit';
import { prepareDatasetCommand, unpackCommand } from '../toolkit/verb-commands';
import { downloadFile } from './download';
import { checkFile, invalidDownload } from './save-body';

interface SourcePlaces {
  /** Appears only when all is done. */
  readonly whole: string;
  /** The part a run uses. */
  readonly given: string;
  /** Temporary; removed when complete. */
  readonly work: string;
  readonly file: string;
  readonly unpacked: string;
}

/** `root`: folder of one preset's sources. */
export function sourcePlaces(root: string, source: DataSource): SourcePlaces {
  const whole = join(root, source.id);
  const work = join(root, `${source.id}.download`);
  // Prepared data has another layout than the archive.
  const inner = source.allowed === 'download' && source.prepare !== true ? source.path : undefined;
  return {
    whole,
    given: inner === undefined ? whole : join(whole, inner),
    work,
    file: join(work, 'file'),
    unpacked: join(work, 'unpacked'),
  };
}

interface FetchSource {
  readonly source: DownloadSource;
  readonly root: string;
  /** Of the preset, whose code prepares the data set. */
  readonly modelDir: string;
  readonly toolkit: Toolkit;
  /** The manually fetched file, which stays where it is. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number | null, text: string) => void;
}

/** Allowed unpacked bytes per archive byte, where no size is named. */
const usualExpansion = 20;

const unpackLimit = ({ unpackedBytes, bytes }: DownloadSource): number =>
  unpackedBytes ?? (bytes ?? 1024 ** 3) * usualExpansion;

const listener = ({ signal, onProgress }: FetchSource): ToolkitListener => ({
  ...silentListener(signal),
  progress: onProgress,
});

async function obtain(options: FetchSource, places: SourcePlaces): Promise<string> {
  const { source, from, signal, onProgress } = options;
  const onChecked = (done: number, total: number) => {
    onProgress(total === 0 ? null : done / total, 'Verifying the checksum');
  };
  if (from !== undefined) {
    if (!(await exists(from))) {
      const remedy = 'Name the file that you downloaded.';
      throw new WorkbenchError('input-invalid', `${from} does not exist`, { where: from, remedy });
    }
    await checkFile(from, source, signal, onChecked);
    return from;
  }
  if (await exists(places.file)) return places.file;
  const unpacked = source.archive === undefined ? 0 : (source.unpackedBytes ?? source.bytes ?? 0);
  await downloadFile({
    address: source.address,
    file: places.file,
    bytes: source.bytes,
    checksum: source.checksum,
    extraBytes: source.prepare === true ? 2 * unpacked : unpacked,
    signal,
    onProgress: ({ phase, doneBytes, totalBytes }) => {
      if (phase === 'checking') {
        onChecked(doneBytes, totalBytes ?? 0);
        return;
      }
      const of = totalBytes === null ? '' : ` of ${formatBytes(totalBytes)}`;
      const text = phase === 'downloading' ? 'Downloading' : 'Reconnecting';
      onProgress(
        totalBytes === null ? null : doneBytes / totalBytes,
        `${text}, ${formatBytes(doneBytes)}${of}`,
      );
    },
  });
  return places.file;
}

async function clearLeftovers({ work, file }: SourcePlaces): Promise<void> {
  for (const name of await readdir(work)) {
    if (name.startsWith(basename(file)) || name.startsWith('lease.json')) continue;
    await rm(join(work, name), { recursive: true, force: true });
  }
}

/** Arranges the file as folder `ready`, of which the run uses `path`. */
async function layOut(options: FetchSource, places: SourcePlaces, file: string): Promise<string> {
  const { source, toolkit, onProgress, from } = options;
  const { unpacked } = places;
  await clearLeftovers(places);
  if (source.archive === undefined) {
    const target = join(unpacked, source.path ?? source.id);
    await makeFolder(dirname(target));
    await (from === undefined ? rename(file, target) : copyFile(file, target));
    return unpacked;
  }
  const unpack = unpackCommand(source.archive, file, unpackLimit(source), unpacked);
  onProgress(null, 'Unpacking');
  await toolkit.call(unpack, z.looseObject({ files: z.int().min(1) }), listener(options));
  if (source.path !== undefined && !(await exists(join(unpacked, source.path)))) {
    throw invalidDownload(`${source.title}: the archive does not contain ${source.path}`, file);
  }
  if (source.prepare !== true) return unpacked;
  const prepared = join(places.work, 'prepared');
  const raw = source.path === undefined ? unpacked : join(unpacked, source.path);
  const prepare = prepareDatasetCommand(options.modelDir, source.args ?? {}, raw, prepared);
  onProgress(null, 'Preparing');
  await toolkit.call(prepare, z.looseObject({ counts: z.record(z.string(), z.number()) }), listener(options));
  return prepared;
}

/**
 * Fetches a source, or takes the manually fetched file; unpacks and prepares it. Continues interrupted downloads.
 * @returns the path for the run. Throws download-failed, download-invalid, disk-full, file-unwritable, run-busy,
 * cancelled, and the toolkit's errors.
 */
export async function fetchSource(options: FetchSource): Promise<string> {
  const { source, root } = options;
  const places = sourcePlaces(root, source);
  if (await exists(places.whole)) return places.given;
  await makeFolder(places.work).catch((error: unknown) => {
    throw fileError(error, places.work);
  });
  const lease = await takeFileLease(join(places.work, 'lease.json'), source.title);
  if (lease.release === undefined) {
    throw new WorkbenchError('run-busy', `Another process is downloading ${source.title}`, {
      where: places.work,
      remedy: 'Wait for it to finish. Its result is shared.',
    });
  }
  try {
    // The previous holder of the lease may have done it all.
    if (await exists(places.whole)) {
      await rm(places.work, { recursive: true, force: true });
      return places.given;
    }
    const file = await obtain(options, places);
    const ready = await layOut(options, places, file).catch(async (error: unknown) => {
      // A file that cannot be unpacked is fetched again next time.
      if (error instanceof WorkbenchError && error.code === 'download-invalid') {
        await rm(places.file, { force: true });
      }
      throw fileError(error, places.work);
    });
    if (options.signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled before the end');
    await rename(ready, places.whole);
    await rm(places.work, { recursive: true, force: true });
    return places.given;
  } finally {
    await lease.release();
  }
}
