import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoragePart, StorageReport } from '../contract/settings/storage';
import { type HomeLayout, toolFolders } from '../platform/layout';

const partOf: Readonly<Record<string, StoragePart['id']>> = {
  runs: 'runs',
  studies: 'runs',
  matrices: 'runs',
  pipelines: 'cache',
  deployments: 'deployments',
  cache: 'cache',
  trash: 'trash',
  data: 'data',
  recordings: 'recordings',
  logs: 'logs',
  'setup-logs': 'logs',
  uv: 'tools',
  ...Object.fromEntries(toolFolders.map((name) => [name, 'tools' as const])),
};

/** Bytes below a path; links count as themselves, hard-linked files once over all of `seen`. */
async function newBytesBelow(path: string, seen: Set<string>): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) {
    if (found.nlink > 1) {
      const id = `${found.dev}:${found.ino}`;
      if (seen.has(id)) return 0;
      seen.add(id);
    }
    return found.size;
  }
  let bytes = 0;
  for (const name of await readdir(path).catch(() => []))
    bytes += await newBytesBelow(join(path, name), seen);
  return bytes;
}

export async function readStorage(
  { home }: Pick<HomeLayout, 'home'>,
  images: StorageReport['images'],
): Promise<StorageReport> {
  const bytes = new Map<StoragePart['id'], number>();
  // By name the cache comes before runs: deleting a run does not free shared files.
  const seen = new Set<string>();
  for (const name of (await readdir(home).catch(() => [])).sort()) {
    const id = partOf[name] ?? 'other';
    bytes.set(id, (bytes.get(id) ?? 0) + (await newBytesBelow(join(home, name), seen)));
  }
  const { bavail, bsize } = await statfs(home);
  const parts = [...bytes].map(([id, size]) => ({ id, bytes: size }));
  return {
    home,
    parts: parts.sort((a, b) => b.bytes - a.bytes),
    images,
    freeBytes: bavail * bsize,
  };
}
