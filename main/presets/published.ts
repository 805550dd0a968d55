import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import type { PublishedResults } from '../contract/published';
import { publishedSchema } from '../contract/published';
import { exists } from '../platform/files';

/**
 * The published figures of a preset, as `scripts/published-results.mjs` wrote them; null where none are published.
 * Throws model-folder-invalid for a file that is not of that form.
 */
export async function readPublished(resources: string, preset: string): Promise<PublishedResults | null> {
  const path = join(resources, 'baselines', `${preset}.json`);
  if (!(await exists(path))) return null;
  const fail = (what: string, cause?: unknown) =>
    new WorkbenchError('model-folder-invalid', `The published figures of ${preset}: ${what}`, {
      where: path,
      remedy: 'Write the file again with scripts/published-results.mjs.',
      cause,
    });
  let tree: unknown;
  try {
    tree = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw fail('the file is not JSON', cause);
  }
  const parsed = publishedSchema.safeParse(tree);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw fail(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
  }
  if (parsed.data.preset !== preset) throw fail(`it is of "${parsed.data.preset}"`);
  return parsed.data;
}
