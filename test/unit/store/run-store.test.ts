import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunStore } from '../../../main/store/run-store';
import { environmentFixture, specFixture } from '../../support/run-state';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-run-store-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const create = (out: string, home = dir) =>
  new RunStore(join(home, 'runs')).create(specFixture(), environmentFixture(), out);

describe('a run folder that the user names', () => {
  it('is made, and linked below the home', async () => {
    const { folder, state } = await create(join(dir, 'new', 'run'));
    expect(folder.dir).toBe(join(dir, 'new', 'run'));
    expect(await readdir(join(dir, 'runs'))).toEqual([state.runId]);
  });

  it('in /proc is an error at once, not a call that never ends', async () => {
    await expect(create('/proc/triton-workbench')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: 'Cannot create the folder /proc/triton-workbench: /proc does not accept new folders',
    });
    await expect(readdir(join(dir, 'runs'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('of which a part is a file is an error that names the file', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    for (const out of [file, join(file, 'run')]) {
      await expect(create(out)).rejects.toMatchObject({
        code: 'file-unwritable',
        message: `Cannot create the folder ${out}: ${file} is a file`,
      });
    }
  });

  it('that holds something is refused', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(create(dir)).rejects.toMatchObject({ code: 'run-folder-exists', where: '--out' });
  });

  it('is not the only one: a home in /proc is an error too', async () => {
    await expect(create(join(dir, 'run'), '/proc/triton-workbench')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: 'Cannot create the folder /proc/triton-workbench/runs: /proc does not accept new folders',
    });
  });
});
