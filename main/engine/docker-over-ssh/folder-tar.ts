import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract, type Header, type Pack, pack as createPack } from 'tar-stream';
import { WorkbenchError } from '../../contract/errors';
import { makeFolder, temporaryBeside } from '../../platform/files';
import { openPlain, requirePlainEntry } from '../../platform/plain-entry';

/** User and group that files have in a container. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Content of a folder to send. */
export interface TarContent {
  /** Folders of the container's user, parents first; '' is the root. */
  readonly folders: readonly string[];
  /** `path` in the tar, `from` on disk; fails if the content has another SHA-256 than given. */
  readonly files: readonly { readonly path: string; readonly from: string; readonly sha256?: string }[];
  /** Empty file at the end: if it exists, the transfer was complete. */
  readonly last?: string | undefined;
}

async function addFile(
  pack: Pack,
  owner: Owner,
  path: string,
  file: TarContent['files'][number],
): Promise<void> {
  const { from, sha256 } = file;
  const opened = await openPlain(from, constants.O_RDONLY);
  try {
    const { size, mtime, mode } = await opened.stat();
    const header = { ...owner, name: path, mtime, mode: (mode & 0o100) === 0 ? 0o644 : 0o755 };
    if (size === 0) {
      pack.entry(header, '');
      return;
    }
    // A file that grows meanwhile must not change the tar.
    const content = opened.createReadStream({ autoClose: false, start: 0, end: size - 1 });
    const hash = createHash('sha256');
    content.on('data', (chunk) => hash.update(chunk));
    await pipeline(content, pack.entry({ ...header, size }));
    if (sha256 !== undefined && hash.digest('hex') !== sha256) {
      const remedy = 'Wait until nothing writes to it any more, then try again.';
      throw new WorkbenchError('input-invalid', `${from} changed while it was sent`, { where: from, remedy });
    }
  } finally {
    await opened.close();
  }
}

async function fill(pack: Pack, root: string, content: TarContent, owner: Owner): Promise<void> {
  const { folders, files, last } = content;
  for (const folder of folders) {
    pack.entry({ ...owner, name: `${posix.join(root, folder)}/`, type: 'directory', mode: 0o755 });
  }
  for (const file of files) await addFile(pack, owner, posix.join(root, file.path), file);
  if (last !== undefined) pack.entry({ ...owner, name: posix.join(root, last), mode: 0o644 }, '');
  pack.finalize();
}

/** Streams a tar of plain files below `root`. Throws run-folder-unsafe, and for unreadable files. */
export async function* packFiles(root: string, content: TarContent, owner: Owner): AsyncGenerator<Buffer> {
  const pack = createPack();
  // Started on first read: a stream that fails without a reader would crash the process.
  const chunks = pack[Symbol.asyncIterator]();
  fill(pack, root, content, owner).catch((error: unknown) => {
    pack.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  yield* { [Symbol.asyncIterator]: () => chunks } as AsyncIterable<Buffer>;
}

/** An entry of an unpacked tar. */
export interface Unpacked {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** False if `isKnown` held, and the local file was kept. */
  readonly written: boolean;
}

interface UnpackInput {
  /** Absolute target folder; the first path segment of each entry is dropped. */
  readonly root: string;
  /** Whether the local file already has this content. */
  readonly isKnown: (path: string, sha256: string) => boolean;
  /** Called for entries that are skipped: links, pipes, devices, and paths outside the folder. */
  readonly onRefused: (path: string, what: string) => void;
}

/** The path below the folder; null for the folder itself. Throws for a path outside it. */
function innerPath(name: string): string | null {
  const all = name.split('/');
  if (all.includes('..') || all[0] === '' || name.includes('\0')) {
    throw new WorkbenchError('run-folder-unsafe', `${JSON.stringify(name)} is outside of its folder`);
  }
  const parts = all.slice(1).filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? null : parts.join('/');
}

/** Checks that no parent is a link: the container's program may have placed one. */
async function requirePlainWay(root: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (const index of parts.keys()) await requirePlainEntry(join(root, ...parts.slice(0, index)));
}

async function writeEntry(entry: AsyncIterable<unknown>, file: FileHandle, hash: Hash): Promise<void> {
  for await (const chunk of entry) {
    hash.update(chunk as Buffer);
    await file.writeFile(chunk as Buffer);
  }
}

async function takeFile(entry: AsyncIterable<unknown>, path: string, input: UnpackInput): Promise<Unpacked> {
  const { root, isKnown } = input;
  const target = join(root, path);
  await requirePlainWay(root, path);
  await requirePlainEntry(target);
  await makeFolder(dirname(target));
  const temporary = temporaryBeside(target);
  const hash = createHash('sha256');
  const file = await open(temporary, 'wx');
  try {
    await writeEntry(entry, file, hash);
    const { size: bytes } = await file.stat();
    const sha256 = hash.digest('hex');
    const written = !isKnown(path, sha256);
    if (written) await rename(temporary, target);
    return { path, bytes, sha256, written };
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
}

const refusedKind = ({ type }: Header): string | null =>
  type === 'file' || type === 'directory'
    ? null
    : type === 'symlink' || type === 'link'
      ? 'a link'
      : 'no file';

/** Stream errors are reported to the reader. */
async function feed(chunks: AsyncIterable<Buffer>, reader: Extract): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (reader.destroyed) return;
      if (reader.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          reader.off('drain', goOn);
          reader.off('close', goOn);
          resolve();
        };
        reader.on('drain', goOn);
        reader.on('close', goOn);
      });
    }
    reader.end(null);
  } catch (error) {
    reader.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Unpacks an untrusted archive of the engine into plain files and folders. Throws run-folder-unsafe, disk-full. */
export async function unpackFiles(
  chunks: AsyncIterable<Buffer>,
  input: UnpackInput,
): Promise<readonly Unpacked[]> {
  const taken: Unpacked[] = [];
  const reader = extract();
  const fed = feed(chunks, reader);
  for await (const entry of reader) {
    const { header } = entry;
    const path = innerPath(header.name);
    const refused = refusedKind(header);
    if (path !== null && refused !== null) input.onRefused(path, refused);
    if (path !== null && header.type === 'directory') {
      await requirePlainWay(input.root, `${path}/.`);
      await makeFolder(join(input.root, path));
    }
    if (path !== null && header.type === 'file') taken.push(await takeFile(entry, path, input));
    else entry.resume();
  }
  await fed;
  return taken;
}
