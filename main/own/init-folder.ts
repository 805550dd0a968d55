import { constants, copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileError } from '../platform/file-error';
import { makeFolder } from '../platform/make-folder';
import { presetName } from './own-preset';

export interface InitOutcome {
  readonly folder: string;
  readonly written: readonly string[];
  /** Files of the same name that were there. */
  readonly kept: readonly string[];
}

const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Writes the template of a model folder; a file that is there stays. Throws disk-full, file-unwritable. */
export async function initModelFolder(dir: string, resources: string): Promise<InitOutcome> {
  const folder = resolve(dir);
  const template = join(resources, 'own', 'template');
  const written: string[] = [];
  const kept: string[] = [];
  try {
    await makeFolder(folder);
    for (const name of (await readdir(template)).sort()) {
      if (name.startsWith('__')) continue;
      const target = join(folder, name);
      try {
        if (name === 'preset.yaml') {
          const text = await readFile(join(template, name), 'utf8');
          const named = text.replace(/^id: .*$/m, `id: ${presetName(basename(folder))}`);
          await writeFile(target, named, { flag: 'wx' });
        } else await copyFile(join(template, name), target, constants.COPYFILE_EXCL);
        written.push(name);
      } catch (error) {
        if (!isThere(error)) throw error;
        kept.push(name);
      }
    }
  } catch (error) {
    throw fileError(error, folder);
  }
  return { folder, written, kept };
}
