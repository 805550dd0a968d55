import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listModelFiles } from '../../../main/own/model-files';
import { checkExternalFiles } from '../../../main/own/onnx-source';
import { rejection } from '../../support/rejection';

it('a file whose name is no UTF-8 is refused by name, with what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'odd-names-'));
  try {
    await writeFile(Buffer.concat([Buffer.from(join(folder, 'odd-')), Buffer.from([0xff, 0xfe])]), 'x');
    const error = await rejection(listModelFiles(folder));
    expect([error.code, error.message]).toEqual([
      'model-folder-invalid',
      expect.stringContaining('cannot be read by its name'),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('weights that are a link to nothing, or to itself, are refused as links', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'odd-names-'));
  try {
    await symlink('gone', join(folder, 'nothing.bin'));
    await symlink('circle.bin', join(folder, 'circle.bin'));
    for (const name of ['nothing.bin', 'circle.bin']) {
      const error = await rejection(checkExternalFiles(join(folder, 'model.onnx'), new Set([name])));
      expect([error.code, error.message]).toEqual([
        'model-file-invalid',
        `"${name}" is not a regular file (it leads to nothing)`,
      ]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
