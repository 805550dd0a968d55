import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { makeFolder } from '../platform/files';

/** Throws where a file could not be written at the end of what takes hours; its folder is made. */
export async function checkTarget(file: string): Promise<void> {
  await makeFolder(dirname(resolve(file)));
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory() === true) {
    throw new WorkbenchError('input-invalid', `${file} is a folder`, {
      where: file,
      remedy: 'Name a file in it.',
    });
  }
}
