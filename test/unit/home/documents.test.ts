import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDocuments } from '../../../main/home/documents';
import { rejection } from '../../support/rejection';

it('every page of guide and reference is an article, once; the first one is for the window', async () => {
  const documents = await readDocuments('.');
  const ids = documents.map(({ id }) => id);
  const files: string[] = [];
  for (const folder of ['guide', 'reference']) {
    for (const name of await readdir(join('docs', folder))) {
      if (name.endsWith('.md')) files.push(`${folder}/${name.slice(0, -'.md'.length)}`);
    }
  }
  expect(ids.toSorted()).toEqual([...files, 'about/changelog'].sort());
  expect(documents[0]).toMatchObject({ id: 'guide/first-deployment', title: 'Your first deployment' });
  // What is typed in a terminal is in blocks of code.
  expect(documents[0]?.text.slice(0, 3000)).not.toContain('```');
});

it('an article that is missing is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'twb-documents-'));
  try {
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, 'docs', 'contents.json'), '[{ "title": "Start", "pages": ["guide/gone"] }]');
    expect(await rejection(readDocuments(folder))).toMatchObject({
      code: 'internal',
      where: join(folder, 'docs', 'guide', 'gone.md'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
