import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { type SavedComparison, savedComparisonSchema } from '../contract/run/saved-comparison';
import { writeFileAtomic } from '../platform/files';
import { jsonOrNull } from '../platform/parse-json';
import { readBoundedFile } from '../platform/plain-entry';
import { withFileTurn } from './file-lease';

const fileSchema = z.strictObject({
  version: z.literal(1),
  comparisons: z.array(savedComparisonSchema).max(1000),
});
const mostBytes = 1024 * 1024;
const order = new Intl.Collator('en', { numeric: true });

export interface Comparisons {
  /** Throws input-invalid if unreadable. */
  list(): Promise<readonly SavedComparison[]>;
  /** Replaces one of the same name. Throws as `list`. */
  save(comparison: SavedComparison): Promise<readonly SavedComparison[]>;
  remove(name: string): Promise<readonly SavedComparison[]>;
}

/** @param file `comparisons.json` of the home */
export function createComparisons(file: string): Comparisons {
  const list = async (): Promise<readonly SavedComparison[]> => {
    const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
    if ('problem' in found && found.problem === 'it does not exist') return [];
    const parsed = 'text' in found ? fileSchema.safeParse(jsonOrNull(found.text)).data : undefined;
    if (parsed === undefined) {
      throw new WorkbenchError('input-invalid', 'The saved comparisons cannot be read', {
        where: file,
        remedy: 'Correct the file, or rename it to start without saved comparisons.',
      });
    }
    return parsed.comparisons;
  };
  const change = (name: string, added: readonly SavedComparison[]): Promise<readonly SavedComparison[]> =>
    withFileTurn(file, 'the saved comparisons', async (place) => {
      const others = (await list()).filter((one) => one.name !== name);
      const comparisons = [...others, ...added].sort((a, b) => order.compare(a.name, b.name));
      await writeFileAtomic(place, `${JSON.stringify({ version: 1, comparisons }, null, 2)}\n`);
      return comparisons;
    });
  return {
    list,
    save: (comparison) => change(comparison.name, [comparison]),
    remove: (name) => change(name, []),
  };
}
