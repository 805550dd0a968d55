import { chmod, copyFile, link, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type FileEntry, fileEntrySchema } from '../contract/run/artefacts';
import {
  bytesBelow,
  exists,
  listEmptyFolders,
  listFiles,
  makeFolder,
  temporaryBeside,
  writeFileAtomic,
} from '../platform/files';
import { firstDifference, ReadContents } from './file-manifest';

const manifestSchema = z.object({
  files: z.array(fileEntrySchema),
  /** Without any file: an ensemble has such a version. Entries of earlier versions lack them. */
  emptyFolders: z.array(fileEntrySchema.shape.path).default([]),
  /** The step's report, shown again on reuse. */
  report: z.unknown(),
});

/** Smaller files are copied, because they may be edited per run (config.pbtxt). */
const linkedFromBytes = 2 ** 20;

const mayRead = 0o555;

/** Hard-links if possible. Linked files become read-only, because a write would change cache and all runs. */
async function place(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  const { size, mode } = await stat(from);
  if (size < linkedFromBytes) {
    await copyFile(from, to);
    return;
  }
  // Another user's file stays writable; changes are detected before reuse.
  await chmod(from, mode & mayRead).catch(() => undefined);
  await link(from, to).catch(async (error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'EMLINK') throw error;
    await copyFile(from, to);
  });
}

/** Step folders by input hash, shared by a home's runs. */
export class ArtefactCache {
  constructor(readonly root: string) {}

  private folder(key: string): string {
    return join(this.root, key);
  }

  /** @param contents files hashed already */
  async store(key: string, stepDir: string, report: unknown, contents = new ReadContents()): Promise<void> {
    if (await exists(this.folder(key))) return;
    const temporary = temporaryBeside(join(this.root, `.${key}`));
    try {
      const files: FileEntry[] = [];
      for (const path of await listFiles(stepDir)) {
        files.push({ path, ...(await contents.of(join(stepDir, path), false)) });
        await place(join(stepDir, path), join(temporary, 'files', path));
      }
      const emptyFolders = await listEmptyFolders(stepDir);
      const manifest = JSON.stringify({ files, emptyFolders, report });
      await writeFileAtomic(join(temporary, 'manifest.json'), manifest);
      await rename(temporary, this.folder(key));
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      const code = (error as NodeJS.ErrnoException).code;
      // Another run stored the key first.
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }

  /** Restores files of `key` into `stepDir`; returns the report, or null if missing or altered. */
  async restore(
    key: string,
    stepDir: string,
    contents = new ReadContents(),
  ): Promise<{ readonly report: unknown } | null> {
    const folder = this.folder(key);
    let manifest: z.infer<typeof manifestSchema>;
    try {
      manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
      const difference = await firstDifference(join(folder, 'files'), manifest.files, {
        contents,
        except: () => false,
      });
      if (difference !== null) throw new Error(difference);
    } catch {
      await rm(folder, { recursive: true, force: true });
      return null;
    }
    await rm(stepDir, { recursive: true, force: true });
    await makeFolder(stepDir);
    try {
      for (const file of manifest.files)
        await place(join(folder, 'files', file.path), join(stepDir, file.path));
      for (const path of manifest.emptyFolders) await makeFolder(join(stepDir, path));
      const now = new Date();
      await utimes(folder, now, now);
    } catch (error) {
      // Removed concurrently.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    return { report: manifest.report };
  }

  async remove(key: string): Promise<void> {
    await rm(this.folder(key), { recursive: true, force: true });
  }

  bytes(): Promise<number> {
    return bytesBelow(this.root);
  }

  async clear(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
