import { randomBytes } from 'node:crypto';
import { copyFile, link, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { fileError } from '../platform/file-error';
import { listFiles, writeFileAtomic } from '../platform/files';
import { makeFolder } from '../platform/make-folder';
import { formatConfigPbtxt } from './config-pbtxt';
import type { ModelConfig } from './model-config';

export interface RepositoryFile {
  readonly from: string;
  /** Name inside the version folder. */
  readonly name: string;
  /** `link` shares the bytes of a large model file where the file system can, else copies. */
  readonly by: 'link' | 'copy';
}

interface WriteRepositoryInput {
  /** Triton's model repository; made when it is not there. */
  readonly repository: string;
  readonly config: ModelConfig;
  readonly version: number;
  readonly files: readonly RepositoryFile[];
}

const safeName = /^[A-Za-z0-9][\w.-]{0,127}$/;

async function placeFile(file: Pick<RepositoryFile, 'from' | 'by'>, to: string): Promise<void> {
  if (file.by === 'link') {
    try {
      await link(file.from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOSPC') throw error;
      // Another file system, or links are not allowed there: a copy does as well.
    }
  }
  await copyFile(file.from, to);
}

/** A model can be a folder: a SavedModel is one. */
async function place(file: RepositoryFile, to: string): Promise<void> {
  if (!(await stat(file.from)).isDirectory()) {
    await placeFile(file, to);
    return;
  }
  for (const path of await listFiles(file.from)) {
    await makeFolder(dirname(join(to, path)));
    await placeFile({ from: join(file.from, path), by: file.by }, join(to, path));
  }
}

/**
 * Writes `<repository>/<model>/config.pbtxt` and `<repository>/<model>/<version>/...` and returns the model's folder.
 * The folder is built beside the repository and moved in whole, so that a server never sees half of it; one that
 * was there is replaced. Throws config-invalid, disk-full, file-unwritable.
 */
export async function writeModelRepository(input: WriteRepositoryInput): Promise<string> {
  const { config, repository } = input;
  if (!safeName.test(config.name)) {
    throw new WorkbenchError('config-invalid', `"${config.name}" cannot be the name of a model`, {
      where: 'config.pbtxt, name',
      remedy: 'Use letters, digits, ".", "_" and "-", not "." or "-" first.',
    });
  }
  const text = formatConfigPbtxt(config);
  const mark = randomBytes(6).toString('hex');
  const beside = join(dirname(repository), `.${basename(repository)}.${mark}`);
  const target = join(repository, config.name);
  try {
    const folder = join(beside, 'new', String(input.version));
    await makeFolder(folder);
    await makeFolder(repository);
    for (const file of input.files) await place(file, join(folder, basename(file.name)));
    await writeFileAtomic(join(beside, 'new', 'config.pbtxt'), text);
    await rename(target, join(beside, 'old')).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    await rename(join(beside, 'new'), target);
    return target;
  } catch (error) {
    throw fileError(error, target);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}
