import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { WorkbenchError } from '../contract/errors';

export interface ModelFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly bytes: number;
}

/** A folder of code, not of data: more files than this are a data set in the wrong place. */
const fileLimit = 5000;

/** What git keeps changes with every commit and is no part of a model; nothing that is trusted may lead there. */
const leftOut = '.git';

const refused = (where: string, message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('model-folder-invalid', message, { where, remedy });

/**
 * Every file of a model folder, compiled ones and links too: what is listed is what is trusted, so nothing in it may
 * lead to what is not listed. Throws model-folder-invalid for links out of the folder or into .git, pipes and devices.
 */
export async function listModelFiles(folder: string): Promise<readonly ModelFile[]> {
  const root = await realpath(folder);
  const found: ModelFile[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(root, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      const full = join(root, path);
      if (entry.isDirectory()) {
        if (entry.name !== leftOut) await walk(path);
        continue;
      }
      if (entry.isSymbolicLink()) {
        const target = await realpath(full).catch(() => null);
        const parts = target === null ? ['..'] : relative(root, target).split(sep);
        if (parts.includes(leftOut)) {
          throw refused(
            full,
            `${path} is a link into ${leftOut}, which is not part of what is trusted`,
            'Copy the file that it leads to into the folder, in place of the link.',
          );
        }
        if (parts.includes('..') || !(await stat(full)).isFile()) {
          throw refused(
            full,
            `${path} is a link that leads out of the model folder, or to a folder`,
            'Copy its target into the folder: only files in the folder are trusted.',
          );
        }
      } else if (!entry.isFile()) {
        throw refused(
          full,
          `${path} is not a regular file`,
          'Remove the pipe, socket or device from the folder.',
        );
      }
      const stats = await stat(full).catch(() => {
        // A name that is not UTF-8 is read as another one, which leads to nothing.
        throw refused(
          full,
          `${path} cannot be read by its name`,
          'Give the file a plain name, or remove it.',
        );
      });
      found.push({ path, bytes: stats.size });
      if (found.length > fileLimit) {
        const remedy = 'Keep the data set elsewhere and name it with --dataset.';
        throw refused(folder, `The model folder holds more than ${fileLimit} files`, remedy);
      }
    }
  };
  await walk('');
  return found;
}
