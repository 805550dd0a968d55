import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  canonicalJson,
  freedBytes,
  hashFolder,
  listFiles,
  writeFileAtomic,
} from '../../../main/platform/files';
import { fileError } from '../../../main/platform/plain-entry';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'files-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

describe('writeFileAtomic', () => {
  it('replaces the whole content and leaves nothing beside it', async () => {
    const path = join(dir, 'new', 'file');
    await writeFileAtomic(path, 'old content');
    await writeFileAtomic(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(join(dir, 'new'))).toEqual(['file']);
  });
  it('keeps the old content when the new cannot be placed', async () => {
    await mkdir(join(dir, 'taken', 'deep'), { recursive: true });
    await expect(writeFileAtomic(join(dir, 'taken'), 'x')).rejects.toThrow();
    expect(await readdir(dir)).toEqual(['taken']);
  });
});

it.each([
  ['ENOSPC', 'disk-full'],
  ['EACCES', 'file-unwritable'],
  ['EROFS', 'file-unwritable'],
])('says %s as %s', (code, expected) => {
  expect(fileError(Object.assign(new Error(code), { code }), 'p')).toMatchObject({ code: expected });
});

it('lists files only, sorted, links and byte code left out', async () => {
  await mkdir(join(dir, 'b', '__pycache__'), { recursive: true });
  for (const path of ['b/two', 'a', 'b/__pycache__/x.pyc']) await writeFile(join(dir, path), path);
  await symlink('/etc', join(dir, 'link'));
  expect(await listFiles(dir)).toEqual(['a', 'b/two']);
  const before = await hashFolder(dir);
  await writeFile(join(dir, 'a'), 'changed');
  expect(await hashFolder(dir)).not.toBe(before);
});

it('gives equal values equal text, whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('frees the bytes of a file with several names only with the last of them', async () => {
  for (const name of ['cache', 'run']) await mkdir(join(dir, name));
  await writeFile(join(dir, 'cache', 'a'), 'x'.repeat(100));
  await writeFile(join(dir, 'cache', 'own'), 'x'.repeat(7));
  await link(join(dir, 'cache', 'a'), join(dir, 'run', 'a'));
  const [cache, run] = [join(dir, 'cache'), join(dir, 'run')];
  expect(await freedBytes([cache])).toBe(7);
  expect(await freedBytes([run])).toBe(0);
  expect(await freedBytes([cache, run, run])).toBe(107);
});
