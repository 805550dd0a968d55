import { mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, writeFileAtomic } from '../../../main/platform/files';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'make-folder-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

describe('a folder', () => {
  it('is made with all folders above it, once or twice', async () => {
    const path = join(dir, 'a', 'b', 'c');
    await makeFolder(path);
    await makeFolder(path);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('is made by several at the same time', async () => {
    await Promise.all([1, 2, 3].map(() => makeFolder(join(dir, 'a', 'b'))));
    expect(await readdir(dir)).toEqual(['a']);
  });

  it('is made below a link to a folder', async () => {
    await makeFolder(join(dir, 'real'));
    await symlink(join(dir, 'real'), join(dir, 'link'));
    await makeFolder(join(dir, 'link', 'new'));
    expect(await readdir(join(dir, 'real'))).toEqual(['new']);
  });
});

describe('a folder that cannot be made', () => {
  it.each([
    ['/proc/triton-workbench', '/proc does not accept new folders', '/proc/triton-workbench'],
    ['/proc/triton-workbench/a/b', '/proc does not accept new folders', '/proc/triton-workbench'],
    ['/proc/self/triton-workbench', '/proc/self does not accept new folders', '/proc/self/triton-workbench'],
    ['/dev/null/a', '/dev/null is a file', '/dev/null'],
  ])('%s is an error that names the place, at once', async (path, reason, where) => {
    await expect(makeFolder(path)).rejects.toMatchObject({
      code: 'file-unwritable',
      message: `Cannot create the folder ${path}: ${reason}`,
      where,
      remedy: 'Choose a folder that you can write to.',
    });
  });

  it('is refused in /sys, which takes no folders from anybody', async () => {
    const refusal: unknown = expect.stringMatching(/\((EPERM|EACCES|EROFS)\)$/);
    await expect(makeFolder('/sys/triton-workbench/a')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: refusal,
      where: '/sys/triton-workbench',
    });
  });

  it('names the file that is in the way, wherever in the path it is', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'a'), join(file, 'a', 'b')]) {
      await expect(makeFolder(path)).rejects.toMatchObject({
        code: 'file-unwritable',
        message: `Cannot create the folder ${path}: ${file} is a file`,
      });
    }
  });

  it('names the link that leads nowhere', async () => {
    const link = join(dir, 'link');
    await symlink(join(dir, 'gone'), link);
    await expect(makeFolder(join(link, 'a'))).rejects.toMatchObject({
      code: 'file-unwritable',
      message: `Cannot create the folder ${join(link, 'a')}: ${link} is a link to something that does not exist`,
    });
  });

  it('has a name that is too long', async () => {
    await expect(makeFolder(join(dir, 'x'.repeat(300)))).rejects.toMatchObject({
      code: 'file-unwritable',
      message: expect.stringContaining('a name in the path is too long') as unknown,
    });
  });
});

describe('a file below such a folder', () => {
  it.each(['/proc/triton-workbench/report.html', '/dev/null/report.html'])(
    '%s is refused too',
    async (path) => {
      await expect(writeFileAtomic(path, 'x')).rejects.toMatchObject({ code: 'file-unwritable' });
    },
  );

  it('is refused in /proc itself, and where a folder has its name', async () => {
    await expect(writeFileAtomic('/proc/report.html', 'x')).rejects.toMatchObject({
      code: 'file-unwritable',
    });
    await expect(writeFileAtomic(dir, 'x')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: `Cannot write ${dir}: it is a folder (EISDIR)`,
    });
  });
});
