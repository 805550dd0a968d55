import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';

/** Files of a model folder and what each must define. */
const wanted = [
  ['model.py', /^def\s+get_model\s*\(/m, 'get_model'],
  ['dataloader.py', /^def\s+get_dataloader_fn\s*\(/m, 'get_dataloader_fn'],
  ['metrics.py', /^class\s+MetricsCalculator\b/m, 'MetricsCalculator'],
] as const;

const largestSource = fileLimits.sourceCode.bytes;

/** Looks for the functions that a run calls, in the text of the files. Throws model-folder-invalid. */
export async function checkFolderCode(folder: string): Promise<void> {
  for (const [name, pattern, entry] of wanted) {
    const path = join(folder, name);
    const refused = (message: string, remedy: string) =>
      new WorkbenchError('model-folder-invalid', message, { where: path, remedy });
    const found = await stat(path).catch(() => null);
    if (found === null) {
      throw refused(`The model folder lacks ${name}`, `"init ${folder}" writes the files that are missing.`);
    }
    if (found.size > largestSource) {
      throw refused(
        `${name} has ${found.size} bytes, at most ${largestSource} are read`,
        'Keep data out of the code.',
      );
    }
    const text = await readFile(path, 'utf8').catch(() => {
      throw refused(`${name} cannot be read`, `Allow it: chmod u+r ${path}`);
    });
    if (pattern.test(text)) continue;
    throw refused(
      `${name} does not define ${entry}`,
      `Define ${entry} at the top level of ${name}; "init DIR" writes a folder that shows how.`,
    );
  }
}
