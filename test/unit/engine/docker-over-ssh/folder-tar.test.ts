import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack as createPack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFiles, unpackFiles } from '../../../../main/engine/docker-over-ssh/folder-tar';
import { hashFile } from '../../../../main/platform/files';
import { rejection } from '../../../support/rejection';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'folder-tar-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const owner = { uid: 1000, gid: 1000 };
const chunksOf = (pack: AsyncIterable<unknown>) => pack as AsyncIterable<Buffer>;
const none = { isKnown: () => false, onRefused: () => undefined };

async function sourceWith(files: Readonly<Record<string, string>>) {
  const source = join(folder, 'source');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), text);
  }
  return Object.keys(files).map((path) => ({ path, from: join(source, path) }));
}

describe('files through a tar', () => {
  it('come out as they went in, empty ones and folders too, with their hashes', async () => {
    const files = await sourceWith({ 'a.txt': 'a', 'deep/er/b.bin': 'b'.repeat(100_000), empty: '' });
    const pack = packFiles('x', { folders: ['', 'deep', 'deep/er', 'bare'], files, last: '.end' }, owner);
    const root = join(folder, 'out');
    await mkdir(root);
    const taken = await unpackFiles(chunksOf(pack), { root, ...none });
    expect(taken.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['a.txt', 1],
      ['deep/er/b.bin', 100_000],
      ['empty', 0],
      ['.end', 0],
    ]);
    expect(await readFile(join(root, 'deep/er/b.bin'), 'utf8')).toBe('b'.repeat(100_000));
    expect(taken[1]?.sha256).toBe(await hashFile(join(root, 'deep/er/b.bin')));
    expect((await stat(join(root, 'bare'))).isDirectory()).toBe(true);
  });

  it('leave what is here alone where it is known that nothing changed there', async () => {
    const files = await sourceWith({ 'log.txt': 'as it was sent' });
    const root = join(folder, 'out');
    await mkdir(root);
    await writeFile(join(root, 'log.txt'), 'longer by now');
    const known = await hashFile(join(folder, 'source', 'log.txt'));
    const taken = await unpackFiles(chunksOf(packFiles('x', { folders: [], files }, owner)), {
      ...none,
      root,
      isKnown: (path, sha256) => path === 'log.txt' && sha256 === known,
    });
    expect(taken).toMatchObject([{ path: 'log.txt', written: false }]);
    expect(await readFile(join(root, 'log.txt'), 'utf8')).toBe('longer by now');
  });

  it('leave no listener behind for each time that they wait for the disk', async () => {
    const files = await sourceWith({ 'large.bin': 'b'.repeat(8_000_000) });
    const root = join(folder, 'out');
    await mkdir(root);
    const warned: string[] = [];
    const onWarning = ({ name }: Error) => warned.push(name);
    process.on('warning', onWarning);
    try {
      await unpackFiles(chunksOf(packFiles('x', { folders: [], files }, owner)), { root, ...none });
      // A warning is told in the turn behind the one that it is of.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', onWarning);
    }
    expect(warned).toEqual([]);
    expect((await stat(join(root, 'large.bin'))).size).toBe(8_000_000);
  });

  it('do not leave their folder, and links are not taken', async () => {
    const root = join(folder, 'out');
    await mkdir(root);
    const pack = createPack();
    pack.entry({ name: 'x/link', type: 'symlink', linkname: '/etc/passwd' });
    pack.entry({ name: 'x/hard', type: 'link', linkname: 'x/link' });
    pack.entry({ name: 'x/good' }, 'good');
    pack.finalize();
    const refused: string[] = [];
    const onRefused = (path: string, what: string) => refused.push(`${path}: ${what}`);
    await unpackFiles(chunksOf(pack), { ...none, root, onRefused });
    expect(refused).toEqual(['link: a link', 'hard: a link']);
    expect(await readFile(join(root, 'good'), 'utf8')).toBe('good');
    for (const name of ['x/../../up', '../up', '/etc/up']) {
      const hostile = createPack();
      hostile.entry({ name }, 'x');
      hostile.finalize();
      expect(await rejection(unpackFiles(chunksOf(hostile), { ...none, root }))).toMatchObject({
        code: 'run-folder-unsafe',
      });
    }
  });

  it('are not written through a link that lies here', async () => {
    const root = join(folder, 'out');
    const victim = join(folder, 'victim');
    await mkdir(root);
    await mkdir(victim);
    await symlink(victim, join(root, 'sub'));
    const files = await sourceWith({ 'sub/file': 'x' });
    const unpacked = unpackFiles(chunksOf(packFiles('x', { folders: [], files }, owner)), { ...none, root });
    expect(await rejection(unpacked)).toMatchObject({ code: 'run-folder-unsafe' });
    expect(await stat(join(victim, 'file')).catch(() => null)).toBeNull();
  });

  it('end with the error of a file that is not there', async () => {
    const pack = packFiles('x', { folders: [], files: [{ path: 'a', from: join(folder, 'none') }] }, owner);
    const root = join(folder, 'out');
    await mkdir(root);
    await expect(unpackFiles(chunksOf(pack), { ...none, root })).rejects.toThrow('ENOENT');
  });
});
