import { readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoragePart, StorageReport } from '../contract/settings/storage';
import { bytesBelow } from '../platform/files';
import type { HomeLayout } from '../platform/layout';

/** Folders of tools, by their names in the home: they hold absolute paths, and the set-up makes them anew. */
export const toolFolders: readonly string[] = [
  'python',
  'tensorflow',
  'triton',
  'perf-analyzer',
  'electron',
  'docker-base',
];

const partOf: Readonly<Record<string, StoragePart['id']>> = {
  runs: 'runs',
  matrices: 'runs',
  deployments: 'deployments',
  cache: 'cache',
  trash: 'trash',
  data: 'data',
  recordings: 'recordings',
  logs: 'logs',
  'setup-logs': 'logs',
  ...Object.fromEntries(toolFolders.map((name) => [name, 'tools' as const])),
};

/** What takes space in the home, largest first; links count as themselves. */
export async function readStorage(
  { home }: Pick<HomeLayout, 'home'>,
  images: StorageReport['images'],
): Promise<StorageReport> {
  const bytes = new Map<StoragePart['id'], number>();
  for (const name of await readdir(home).catch(() => [])) {
    const id = partOf[name] ?? 'other';
    bytes.set(id, (bytes.get(id) ?? 0) + (await bytesBelow(join(home, name))));
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
