import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeOutput } from '../../../main/platform/files';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'write-output-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('a file that somebody asked for', () => {
  it('has the new content', async () => {
    const file = join(dir, 'new folder', 'levels.csv');
    await writeOutput(file, 'a,b\n');
    expect(await readFile(file, 'utf8')).toBe('a,b\n');
    await writeOutput(file, 'c\n');
    expect(await readFile(file, 'utf8')).toBe('c\n');
  });

  it('is what a link leads to, and the link stays one', async () => {
    const [file, link] = [join(dir, 'levels.csv'), join(dir, 'latest.csv')];
    await writeFile(file, 'old\n');
    await symlink(file, link);
    await writeOutput(link, 'new\n');
    expect(await readFile(file, 'utf8')).toBe('new\n');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it('is no file in the place of a pipe: what reads it gets the content', async () => {
    const pipe = join(dir, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const read = readFile(pipe, 'utf8');
    await writeOutput(pipe, 'a,b\n');
    expect(await read).toBe('a,b\n');
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });

  it('cannot be a folder', async () => {
    await expect(writeOutput(dir, 'a\n')).rejects.toMatchObject({ code: 'file-unwritable' });
  });
});
