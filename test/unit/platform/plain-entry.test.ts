import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inputDataSchema } from '../../../main/contract/measured/input-data';
import { readPlainText } from '../../../main/platform/plain-entry';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plain-entry-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('a file that a container was to write', () => {
  it('is read where it is a file', async () => {
    const path = join(dir, 'result.json');
    await writeFile(path, '{}');
    expect(await readPlainText(path, 2)).toBe('{}');
  });

  it('is not read through a link, from a pipe or a device, or in place of a folder', async () => {
    const link = join(dir, 'link');
    await symlink('/etc/passwd', link);
    const pipe = join(dir, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    for (const path of [link, pipe, '/dev/zero']) {
      await expect(readPlainText(path, 100)).rejects.toMatchObject({
        code: 'run-folder-unsafe',
        where: path,
      });
    }
    await mkdir(join(dir, 'folder'));
    await expect(readPlainText(join(dir, 'folder'), 100_000)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('is refused by its size before it is read', async () => {
    const path = join(dir, 'result.json');
    await writeFile(path, '');
    await truncate(path, 3 * 2 ** 30);
    await expect(readPlainText(path, 64 * 2 ** 20)).rejects.toMatchObject({
      code: 'input-invalid',
      where: path,
    });
  });

  it('that is missing is told as the system tells it', async () => {
    await expect(readPlainText(join(dir, 'none'), 100)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it('input data names files below its folder only', () => {
  const named = (file: string) =>
    inputDataSchema.safeParse({
      source: 'file',
      tensors: [{ name: 'x', datatype: 'FP32', shape: [1], files: [file] }],
    }).success;
  expect(named('x/0.bin')).toBe(true);
  for (const file of ['/etc/passwd', '../x', 'x/../../y', '']) expect(named(file), file).toBe(false);
});
