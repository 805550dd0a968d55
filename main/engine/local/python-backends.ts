import { copyFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { shimFiles } from '../../formats/format';
import { makeFolder } from '../../platform/files';

/** Backends that `resources/serving` stands for, by the folder there. */
const served: Readonly<Record<string, string>> = {
  onnxruntime: 'onnx',
  pytorch: 'torchscript',
  tensorflow: 'savedmodel',
};

/**
 * Writes a backend directory into a new folder: the Python backend, and Python-based backends under the names of
 * Triton's own, so that a config.pbtxt that names those is served as it is.
 * @param backends that of the Triton
 */
export async function writePythonBackends(
  folder: string,
  backends: string,
  resources: string,
): Promise<void> {
  await makeFolder(folder);
  await symlink(join(backends, 'python'), join(folder, 'python'));
  for (const [backend, shim] of Object.entries(served)) {
    await makeFolder(join(folder, backend));
    for (const file of shimFiles(resources, shim))
      await copyFile(file, join(folder, backend, basename(file)));
  }
}
