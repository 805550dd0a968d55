import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { WorkbenchError } from '../contract/errors';

/**
 * Weights of an ONNX file that stand in files beside it, relative to its folder, each checked: a plain file below that
 * folder, reached through no link. Throws model-file-invalid naming the first that is not.
 */
export async function checkExternalFiles(path: string, locations: ReadonlySet<string>): Promise<string[]> {
  const folder = await realpath(dirname(path));
  const refused = (message: string, remedy: string) =>
    new WorkbenchError('model-file-invalid', message, { where: path, remedy });
  const found: string[] = [];
  for (const location of locations) {
    const plain = normalize(location);
    if (
      isAbsolute(location) ||
      location === '' ||
      plain.split(sep).includes('..') ||
      location.includes('\\')
    ) {
      throw refused(
        `Weights are outside the model folder: "${location}"`,
        'Put the file with the weights beside the model and save the model again with its plain name.',
      );
    }
    const full = join(folder, plain);
    const stats = await lstat(full).catch(() => null);
    if (stats === null) {
      throw refused(`The file with weights "${location}" is not there`, 'Copy it beside the model.');
    }
    // null: a link to nothing, or in a circle.
    const real = await realpath(full).catch(() => null);
    if (!stats.isFile() || real !== full) {
      const leads = real === null ? 'nothing' : relative(folder, real) || real;
      throw refused(
        `"${location}" is not a regular file (it leads to ${leads})`,
        'Links are not followed; put the file itself beside the model.',
      );
    }
    found.push(plain);
  }
  return found.sort();
}
