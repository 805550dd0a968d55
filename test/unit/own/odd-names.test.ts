import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listModelFiles } from '../../../main/own/model-files';
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
