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
  /** Size and time of the local file; while they are unchanged, so is the hash. */
  bytes: z.number(),
  mtimeNs: z.string(),
});
type FileMark = z.infer<typeof markSchema>;

/** Mark of a file in an unknown state; differs from every local file. */
const unknownMark: FileMark = { sha256: '', bytes: 0, mtimeNs: '' };

/** Record of a run's folder and the volume that mirrors it. */
export const mirrorSchema = z.strictObject({
  volume: z.string(),
  /** By relative path. */
  files: z.record(z.string(), markSchema),
  folders: z.array(z.string()),
  /** A container may be writing, or was interrupted: the content is not fully known. */
  open: z.boolean().optional(),
});
export type Mirror = z.infer<typeof mirrorSchema>;

export const emptyMirror = (volume: string): Mirror => ({ volume, files: {}, folders: [] });

interface FolderContent {
  readonly files: ReadonlyMap<string, FileMark>;
  /** Parents first; '' is the folder itself. */
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
 * Hashes files below `root`; unchanged files take their hash from `known`. Throws run-folder-unsafe for anything but
 * files and folders.
 * @param isLeftOut relative paths to skip
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

/** Paths to send; null if the volume has files that the folder lacks, so that it must be replaced. */
export function missingIn(mirror: Mirror, content: FolderContent, root: string): TarContent | null {
  const gone = Object.keys(mirror.files).some((path) => !content.files.has(path));
  if (gone || mirror.folders.some((folder) => !content.folders.includes(folder))) return null;
  const changed = [...content.files].filter(([path, { sha256 }]) => mirror.files[path]?.sha256 !== sha256);
  return {
    folders: content.folders.filter((folder) => !mirror.folders.includes(folder)),
    files: changed.map(([path]) => ({ path, from: join(root, path) })),
  };
}

/** The differences, for a volume in which a program can link and remove files. */
export function changedIn(mirror: Mirror, content: FolderContent, root: string) {
  const changed = [...content.files].filter(([path, { sha256 }]) => mirror.files[path]?.sha256 !== sha256);
  const changing = new Set(changed.map(([path]) => path));
  const replaced = [
    ...mirror.folders.filter((path) => content.files.has(path)),
    ...content.folders.filter((path) => mirror.files[path] !== undefined),
  ];
  const isReplaced = (path: string) => replaced.some((one) => path === one || path.startsWith(`${one}/`));
  // Only files that do not change themselves can be link sources.
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
    /** Files of the volume that get another name. */
    linked,
    missing: {
      folders: content.folders.filter((folder) => mirror.open === true || !mirror.folders.includes(folder)),
      files: changed
        .filter(([path]) => !isLinked.has(path))
        .map(([path]) => ({ path, from: join(root, path) })),
    },
    /** Files replaced by folders and folders replaced by files; removed before anything is sent. */
    replaced,
    /** Other removed paths; a folder includes its content. */
    gone: [...folders, ...files].filter((path) => !isIn(path) && !isReplaced(path)),
  };
}

/** The mirror during a change: paths about to change count as unknown, so that an interrupted change is repeated. */
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

/** The mirror after everything was sent. */
export const mirrored = ({ volume }: Mirror, content: FolderContent): Mirror => ({
  volume,
  files: Object.fromEntries(content.files),
  folders: [...content.folders],
});

/** Adds files that were fetched. @param below relative folder that was fetched, '' for all */
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

/** SHA-256 over names and contents. */
export function contentHash(parts: readonly (readonly [path: string, sha256: string])[]): string {
  const lines = parts.map(([path, sha256]) => `${path}\0${sha256}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
