import { randomBytes } from 'node:crypto';
import { copyFile, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { shimFiles } from '../../formats/format';
import { hashValue, makeFolder } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';

/** Backends that `resources/serving` stands for, by the folder there. */
const served: Readonly<Record<string, string>> = {
  onnxruntime: 'onnx',
  pytorch: 'torchscript',
  tensorflow: 'savedmodel',
};

/** Outside of the run folders, which hold no links. @param environment folder of another serving environment */
export const pythonBackendsOf = ({ cache }: Pick<HomeLayout, 'cache'>, environment?: string): string =>
  join(
    cache,
    environment === undefined ? 'python-backends' : `python-backends-${hashValue(environment).slice(0, 16)}`,
  );

interface BackendFile {
  readonly from: string;
  readonly to: string;
}

const filesOf = (folder: string, resources: string): readonly BackendFile[] =>
  Object.entries(served).flatMap(([backend, shim]) =>
    shimFiles(resources, shim).map((from) => ({ from, to: join(folder, backend, basename(from)) })),
  );

async function isWritten(folder: string, backends: string, resources: string): Promise<boolean> {
  if ((await readlink(join(folder, 'python')).catch(() => null)) !== join(backends, 'python')) return false;
  for (const { from, to } of filesOf(folder, resources)) {
    const written = await readFile(to).catch(() => null);
    if (written === null || !written.equals(await readFile(from))) return false;
  }
  return true;
}

/**
 * Writes a backend directory, where it is not there as it should be: the Python backend, and Python-based backends under the
 * names of Triton's own, so that a config.pbtxt that names those is served as it is.
 * @param backends that of the Triton
 */
export async function writePythonBackends(
  folder: string,
  backends: string,
  resources: string,
): Promise<void> {
  if (await isWritten(folder, backends, resources)) return;
  const fresh = `${folder}-${randomBytes(4).toString('hex')}`;
  try {
    await makeFolder(fresh);
    await symlink(join(backends, 'python'), join(fresh, 'python'));
    for (const { from, to } of filesOf(fresh, resources)) {
      await makeFolder(dirname(to));
      await copyFile(from, to);
    }
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process may have been quicker.
    if (!(await isWritten(folder, backends, resources))) throw error;
  }
}
