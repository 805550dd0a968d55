import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ArtefactCache } from '../../../main/store/artefact-cache';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cache-'));
  await mkdir(join(dir, 'step', 'deep'), { recursive: true });
  await writeFile(join(dir, 'step', 'model.onnx'), 'model');
  await writeFile(join(dir, 'step', 'deep', 'data'), 'data');
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

it('gives back files and report of the same key, and nothing for another', async () => {
  const cache = new ArtefactCache(join(dir, 'cache'));
  await cache.store('a', join(dir, 'step'), { facts: 1 });
  expect(await cache.restore('b', join(dir, 'other'))).toBeNull();
  expect(await cache.restore('a', join(dir, 'other'))).toEqual({ report: { facts: 1 } });
  expect(await readFile(join(dir, 'other', 'deep', 'data'), 'utf8')).toBe('data');
});

it('gives back folders without files, as the version of an ensemble is one', async () => {
  const cache = new ArtefactCache(join(dir, 'cache'));
  await mkdir(join(dir, 'step', 'ensemble', '1'), { recursive: true });
  await mkdir(join(dir, 'step', 'deep', '__pycache__'));
  await cache.store('a', join(dir, 'step'), {});
  expect(await cache.restore('a', join(dir, 'other'))).not.toBeNull();
  expect(await readdir(join(dir, 'other', 'ensemble'))).toEqual(['1']);
  expect(await readdir(join(dir, 'other', 'deep'))).toEqual(['data']);
});

it('drops an entry whose file was altered', async () => {
  const cache = new ArtefactCache(join(dir, 'cache'));
  await cache.store('a', join(dir, 'step'), {});
  await writeFile(join(dir, 'cache', 'a', 'files', 'model.onnx'), 'other');
  expect(await cache.restore('a', join(dir, 'other'))).toBeNull();
  expect(await cache.restore('a', join(dir, 'other'))).toBeNull();
});

it('clears, also where there is nothing', async () => {
  const cache = new ArtefactCache(join(dir, 'cache'));
  await cache.clear();
  await cache.store('a', join(dir, 'step'), {});
  expect(await cache.bytes()).toBeGreaterThan('modeldata'.length);
  await cache.clear();
  expect(await cache.restore('a', join(dir, 'other'))).toBeNull();
});

it('a small file that is edited where it was placed changes neither the cache nor another run', async () => {
  const cache = new ArtefactCache(join(dir, 'cache'));
  await cache.store('a', join(dir, 'step'), {});
  await writeFile(join(dir, 'step', 'model.onnx'), 'by hand');
  await cache.restore('a', join(dir, 'one'));
  await writeFile(join(dir, 'one', 'model.onnx'), 'by hand');
  expect(await cache.restore('a', join(dir, 'two'))).not.toBeNull();
  expect(await readFile(join(dir, 'two', 'model.onnx'), 'utf8')).toBe('model');
});

it('a large file is one file of several names, which nobody can write in place', async () => {
  const cache = new ArtefactCache(join(dir, 'cache'));
  const weights = join(dir, 'step', 'weights');
  await writeFile(weights, Buffer.alloc(2 ** 20, 1));
  await cache.store('a', join(dir, 'step'), {});
  await cache.restore('a', join(dir, 'one'));
  const [made, placed] = [await stat(weights), await stat(join(dir, 'one', 'weights'))];
  expect(placed.ino).toBe(made.ino);
  expect(placed.mode & 0o222).toBe(0);
  // A step that is done again replaces its folder.
  await rm(join(dir, 'one'), { recursive: true });
  expect((await stat(weights)).nlink).toBe(2);
});
