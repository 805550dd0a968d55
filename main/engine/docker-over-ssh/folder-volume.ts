import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { contentOf } from '../../platform/files';
import { openPlain, requirePlain } from '../../platform/plain-entry';
import type { TarContent, Unpacked } from './folder-tar';

const markSchema = z.strictObject({
  sha256: z.string(),
  /** Of the file here: while these are the same, so is its content. */
  bytes: z.number(),
  mtimeNs: z.string(),
});
type FileMark = z.infer<typeof markSchema>;

/** Of a file that may be there or not, whole or not; it is like none that is here. */
const unknownMark: FileMark = { sha256: '', bytes: 0, mtimeNs: '' };

/** A folder of the run, and the volume that has it on the engine's machine. */
export const mirrorSchema = z.strictObject({
  volume: z.string(),
  /** By relative path, as the volume has them. */
  files: z.record(z.string(), markSchema),
  folders: z.array(z.string()),
  /** Somebody writes to it, or was cut before the end: nobody here knows all that is in it. */
  open: z.boolean().optional(),
});
export type Mirror = z.infer<typeof mirrorSchema>;

export const emptyMirror = (volume: string): Mirror => ({ volume, files: {}, folders: [] });

interface FolderContent {
  readonly files: ReadonlyMap<string, FileMark>;
  /** '' is the folder itself; each before what is in it. */
  readonly folders: readonly string[];
}

async function hashPlain(path: string): Promise<string> {
  const file = await openPlain(path, constants.O_RDONLY);
  try {
    return (await contentOf(file)).sha256;
  } finally {
    await file.close();
  }
}

async function markOf(path: string, known: FileMark | undefined): Promise<FileMark> {
  const { size, mtimeNs } = await lstat(path, { bigint: true });
  const bytes = Number(size);
  const isSame = known !== undefined && known.bytes === bytes && known.mtimeNs === String(mtimeNs);
  return { bytes, mtimeNs: String(mtimeNs), sha256: isSame ? known.sha256 : await hashPlain(path) };
}

/**
 * Files and folders below `root` with their hashes; what `known` says of a file that has not changed is not read again.
 * Throws run-folder-unsafe for a link, and for anything else that is neither file nor folder.
 * @param isLeftOut relative paths that stay here
 */
export async function readFolder(
  root: string,
  known: Readonly<Record<string, FileMark>> = {},
  isLeftOut: (path: string) => boolean = () => false,
): Promise<FolderContent> {
  const files = new Map<string, FileMark>();
  const folders = [''];
  requirePlain(root, await lstat(root));
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isLeftOut(path)) continue;
      requirePlain(join(root, path), entry);
      if (entry.isDirectory()) folders.push(path);
      else files.set(path, await markOf(join(root, path), known[path]));
    }
  }
  return { files, folders };
}

/** What the volume lacks of the folder; null where it has more than that: another volume has to take its place. Pure. */
export function missingIn(mirror: Mirror, content: FolderContent, root: string): TarContent | null {
  const gone = Object.keys(mirror.files).some((path) => !content.files.has(path));
  if (gone || mirror.folders.some((folder) => !content.folders.includes(folder))) return null;
  const changed = [...content.files].filter(([path, { sha256 }]) => mirror.files[path]?.sha256 !== sha256);
  return {
    folders: content.folders.filter((folder) => !mirror.folders.includes(folder)),
    files: changed.map(([path]) => ({ path, from: join(root, path) })),
  };
}

/** What makes the volume the folder, where a program there can link and remove. Pure. */
export function changedIn(mirror: Mirror, content: FolderContent, root: string) {
  const changed = [...content.files].filter(([path, { sha256 }]) => mirror.files[path]?.sha256 !== sha256);
  const changing = new Set(changed.map(([path]) => path));
  const replaced = [
    ...mirror.folders.filter((path) => content.files.has(path)),
    ...content.folders.filter((path) => mirror.files[path] !== undefined),
  ];
  const isReplaced = (path: string) => replaced.some((one) => path === one || path.startsWith(`${one}/`));
  // What is going to be another file is no longer the same when a later link is made.
  const there = new Map(
    Object.entries(mirror.files)
      .filter(
        ([path, { sha256 }]) => sha256 !== unknownMark.sha256 && !changing.has(path) && !isReplaced(path),
      )
      .map(([path, { sha256 }]) => [sha256, path]),
  );
  const linked = changed.flatMap(([to, { sha256 }]) => {
    const from = there.get(sha256);
    return from === undefined ? [] : [{ from, to }];
  });
  const isLinked = new Set(linked.map(({ to }) => to));
  const folders = mirror.folders.filter((folder) => !content.folders.includes(folder));
  const isIn = (path: string) => folders.some((folder) => path.startsWith(`${folder}/`));
  const files = Object.keys(mirror.files).filter((path) => !content.files.has(path));
  return {
    /** Files of the volume that are to have another name too. */
    linked,
    missing: {
      folders: content.folders.filter((folder) => mirror.open === true || !mirror.folders.includes(folder)),
      files: changed
        .filter(([path]) => !isLinked.has(path))
        .map(([path]) => ({ path, from: join(root, path) })),
    },
    /** Files in whose place a folder is now, and folders in whose place a file is: nothing gets there before they are removed. */
    replaced,
    /** Other files and folders that are no longer here; a folder includes all that is in it. */
    gone: [...folders, ...files].filter((path) => !isIn(path) && !isReplaced(path)),
  };
}

/**
 * The volume from the first change on until all are made: of what is about to change nothing is known, so that after a cut
 * the next time sends or removes it again. Pure.
 */
export function whileChanging(mirror: Mirror, content: FolderContent): Mirror {
  const paths = new Set([...Object.keys(mirror.files), ...content.files.keys()]);
  const files = [...paths].map((path) => {
    const [there, here] = [mirror.files[path], content.files.get(path)];
    return [path, here !== undefined && there?.sha256 === here.sha256 ? here : unknownMark] as const;
  });
  return {
    volume: mirror.volume,
    files: Object.fromEntries(files),
    folders: [...new Set([...mirror.folders, ...content.folders])],
    open: true,
  };
}

/** The volume as it is when all of the folder was sent. Pure. */
export const mirrored = ({ volume }: Mirror, content: FolderContent): Mirror => ({
  volume,
  files: Object.fromEntries(content.files),
  folders: [...content.folders],
});

/**
 * With what came back: files that were written there are here too now.
 * @param below relative folder that was asked for, '' for all
 */
export async function withTaken(
  mirror: Mirror,
  root: string,
  taken: readonly Unpacked[],
  below: string,
): Promise<Mirror> {
  const files = { ...mirror.files };
  for (const { path, sha256, written } of taken) {
    const inFolder = below === '' ? path : `${below}/${path}`;
    if (!written) continue;
    const { size, mtimeNs } = await lstat(join(root, inFolder), { bigint: true });
    files[inFolder] = { sha256, bytes: Number(size), mtimeNs: String(mtimeNs) };
  }
  const folders = new Set(mirror.folders);
  for (const path of Object.keys(files)) {
    const parts = path.split('/');
    for (const index of parts.keys()) folders.add(parts.slice(0, index).join('/'));
  }
  return { ...mirror, files, folders: [...folders].sort() };
}

/** SHA-256 over names and contents. Pure. */
export function contentHash(parts: readonly (readonly [path: string, sha256: string])[]): string {
  const lines = parts.map(([path, sha256]) => `${path}\0${sha256}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
