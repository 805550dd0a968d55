// @vitest-environment jsdom
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import * as pages from '../../../../renderer/views/pages';

const typed = Object.entries(pages).flatMap(([name, page]) =>
  'type' in page ? [{ name, type: page.type }] : [],
);

it('every page names its type, and docs/design.md lists it under that type', async () => {
  const names = Object.keys(pages).filter((name) => name.endsWith('Page'));
  expect(typed.map(({ name }) => name)).toEqual(names);
  const text = await readFile('docs/design.md', 'utf8');
  const sections = text.split(/^### /m).slice(1);
  const documented = sections.flatMap((section) => {
    const type = section.split('\n')[0]?.toLowerCase() ?? '';
    const row = /^Pages: (.+)\.$/m.exec(section)?.[1] ?? '';
    return [...row.matchAll(/`(\w+)`/g)].map((match) => ({ name: match[1] ?? '', type }));
  });
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  expect(documented.sort(byName)).toEqual([...typed].sort(byName));
});

it('every type has a page, and a picture that is there', async () => {
  expect(new Set(typed.map(({ type }) => type)).size).toBe(6);
  const text = await readFile('docs/design.md', 'utf8');
  const pictures = [...text.matchAll(/\]\((pictures\/[\w-]+\.png)\)/g)].map((match) => match[1] ?? '');
  expect(pictures).toHaveLength(6);
  for (const picture of pictures)
    expect((await readFile(`docs/${picture}`)).subarray(1, 4).toString()).toBe('PNG');
});
