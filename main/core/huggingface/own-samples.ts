import { opendir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidInput } from '../../contract/errors';
import { formatCount } from '../../contract/numbers';
import type { OwnSamples } from '../../contract/run/own-model';
import type { PipelinePlan } from '../../own/huggingface/pipeline-plan';
import { hashValue } from '../../platform/files';

/** As in `resources/huggingface/own_media.py`. */
const mostEntries = 100_000;

/** Texts are of a file, images and recordings of a folder. Throws input-invalid for those of another pipeline. */
export function requireFitting({ media }: PipelinePlan, { texts, samples }: OwnSamples): void {
  if (media !== undefined && texts !== undefined) {
    const remedy = 'Give a folder of them in its place: --samples FOLDER.';
    throw invalidInput('--texts', `The pipeline takes ${media} and no texts`, remedy);
  }
  if (media === undefined && samples !== undefined) {
    const remedy = 'Give a file of texts in its place: --texts FILE.';
    throw invalidInput('--samples', 'The pipeline takes texts, and no images or recordings', remedy);
  }
}

/** Longer files are left to their reader. */
const mostSearchedBytes = 1024 ** 2;

/** Before anything is exported for them. Throws input-invalid for what is not a file, or a file without a text. */
export async function requireTexts(path: string): Promise<void> {
  const refused = (what: string) =>
    invalidInput(
      '--texts',
      `${path} ${what}`,
      'Give a file with one text per line, or a table: .csv with a header line, or .jsonl.',
    );
  const known = await stat(path).catch(() => null);
  if (known === null) throw refused('does not exist');
  if (!known.isFile()) throw refused('is not a file');
  if (known.size > mostSearchedBytes) return;
  if ((await readFile(path, 'utf8')).trim() === '') throw refused('has no texts');
}

/** What tells two states of a folder of samples apart without reading its files. Throws input-invalid. */
export async function samplesKey(folder: string): Promise<string> {
  const found: string[] = [];
  const walk = async (path: string, depth: number): Promise<void> => {
    for await (const { name } of await opendir(join(folder, path))) {
      const entry = join(path, name);
      const known = await stat(join(folder, entry)).catch(() => null);
      found.push(`${entry}\0${known?.size ?? ''}\0${known?.mtimeMs ?? ''}`);
      if (found.length > mostEntries) {
        const remedy = 'Give a folder with fewer files: at most 256 are used.';
        throw invalidInput(
          '--samples',
          `${folder} has more than ${formatCount(mostEntries)} entries`,
          remedy,
        );
      }
      // Folders in it are those of labels.
      if (known?.isDirectory() === true && depth < 1) await walk(entry, depth + 1);
    }
  };
  const known = await stat(folder).catch(() => null);
  if (known?.isDirectory() !== true) {
    const what = known === null ? 'does not exist' : 'is not a folder';
    throw invalidInput('--samples', `${folder} ${what}`, 'Give a folder of images or recordings.');
  }
  await walk('', 0);
  return hashValue(found.sort());
}
