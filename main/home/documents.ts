import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentInfo } from '../contract/calls/settings-calls';
import { WorkbenchError } from '../contract/errors';
import { exists } from '../platform/files';

const folders = ['guide', 'reference'] as const;
const changelog: DocumentInfo = { id: 'about/changelog', title: 'Changelog' };

const fileOf = (resources: string, id: string): string =>
  id === changelog.id ? join(resources, '..', 'CHANGELOG.md') : join(resources, '..', 'docs', `${id}.md`);

const titleOf = (text: string, id: string): string => /^# +(.+)$/m.exec(text)?.[1]?.trim() ?? id;

/** The pages of the documentation beside the resources, the overview of the guide first. */
export async function listDocuments(resources: string): Promise<readonly DocumentInfo[]> {
  const found: DocumentInfo[] = [];
  for (const folder of folders) {
    const names = await readdir(join(resources, '..', 'docs', folder)).catch(() => []);
    const pages = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
    for (const page of pages.sort(
      (a, b) => Number(b === 'README') - Number(a === 'README') || (a < b ? -1 : 1),
    )) {
      const id = `${folder}/${page}`;
      found.push({ id, title: titleOf(await readFile(fileOf(resources, id), 'utf8'), id) });
    }
  }
  return (await exists(fileOf(resources, changelog.id))) ? [...found, changelog] : found;
}

/** Throws input-invalid for a page that does not come with the program. */
export async function readDocument(resources: string, id: string): Promise<{ readonly text: string }> {
  const known = (await listDocuments(resources)).some((one) => one.id === id);
  if (!known) throw new WorkbenchError('input-invalid', `The documentation has no page "${id}"`);
  return { text: await readFile(fileOf(resources, id), 'utf8') };
}
