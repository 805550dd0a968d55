import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Document } from '../contract/calls/application-calls';
import { WorkbenchError } from '../contract/errors';

const contents = z.array(z.strictObject({ title: z.string(), pages: z.array(z.string()) }));

const titleOf = (text: string, id: string): string => /^# +(.+)$/m.exec(text)?.[1]?.trim() ?? id;

/**
 * The articles of `docs/contents.json` in its order, and the changelog. `folder` is what holds `docs` and `CHANGELOG.md`.
 * Throws internal where the program's files are incomplete.
 */
export async function readDocuments(folder: string): Promise<readonly Document[]> {
  const read = async (...path: readonly string[]): Promise<string> => {
    const file = join(folder, ...path);
    return readFile(file, 'utf8').catch((error: unknown) => {
      throw new WorkbenchError('internal', `The documentation is incomplete: ${String(error)}`, {
        where: file,
      });
    });
  };
  const groups = contents.parse(JSON.parse(await read('docs', 'contents.json')));
  const articles = groups.flatMap(({ title, pages }) => pages.map((id) => ({ id, group: title })));
  const guide = articles.map(async ({ id, group }): Promise<Document> => {
    const text = await read('docs', `${id}.md`);
    return { id, group, title: titleOf(text, id), text };
  });
  const articlesRead = await Promise.all(guide);
  const text = await read('CHANGELOG.md');
  return [...articlesRead, { id: 'about/changelog', group: 'Reference', title: 'Changelog', text }];
}
