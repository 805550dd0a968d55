import { type FileHandle, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fillShared,
  sharedFolder,
  sharedName,
  sweepSharedFiles,
} from '../../../../../main/perf/native/requests/shared-names';
import { bundleChild, startChild } from '../../../../support/child-program';
import { until } from '../../../../support/until';

let dir: string;
let program: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-shared-names-'));
  program = await bundleChild('share-memory', join(dir, 'program'));
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe('the files of shared memory', () => {
  it('go when their owner was killed, and no others', async () => {
    const folder = await mkdtemp(join(dir, 'shm-'));
    const dead = startChild(program, [folder]);
    const living = startChild(program, [folder]);
    try {
      await until('both have made their files', () => dead.lines.length + living.lines.length === 4);
      const own = `${sharedName()}-in`;
      const deadName = dead.lines[0] ?? '';
      const others = [
        own,
        'psm_4c1e2f0a',
        'triton_python_backend_shm_region_1',
        // Of a dead owner, but not of the workbench's form.
        deadName.replace('triton-workbench', 'triton-server'),
        `${deadName}-copy`,
        // Another namespace's ids say nothing here.
        deadName.replace(/-(\d+)-([\da-f]{12})-/, '-1-$2-'),
      ];
      for (const name of others) await writeFile(join(folder, name), '');
      expect(await sweepSharedFiles(folder)).toEqual([]);
      await dead.kill();
      const removed = await sweepSharedFiles(folder);
      expect([...removed].sort()).toEqual([...dead.lines].sort());
      expect((await readdir(folder)).sort()).toEqual([...others, ...living.lines].sort());
    } finally {
      await dead.kill();
      await living.kill();
    }
  });

  it('go when the id of their owner belongs to another process now', async () => {
    const folder = await mkdtemp(join(dir, 'shm-'));
    const name = `${sharedName()}-out`;
    const older = name.replace(/^(triton-workbench-\d+)-\d+-/, '$1-1-');
    for (const one of [name, older]) await writeFile(join(folder, one), '');
    expect(await sweepSharedFiles(folder)).toEqual([older]);
    expect(await readdir(folder)).toEqual([name]);
  });

  it('are none where there is no folder', async () => {
    expect(await sweepSharedFiles(join(dir, 'missing'))).toEqual([]);
  });
});

/** Fault injection: takes so many bytes and then has no room, as a file system does. */
function nearlyFull(room: number): Pick<FileHandle, 'write'> & { taken: number } {
  const file = {
    taken: 0,
    write: (data: Uint8Array, _offset: number, length: number) => {
      const bytesWritten = Math.min(length, room - file.taken);
      if (bytesWritten === 0) return Promise.reject(new Error('ENOSPC: no space left on device, write'));
      file.taken += bytesWritten;
      return Promise.resolve({ bytesWritten, buffer: data });
    },
  };
  return file as Pick<FileHandle, 'write'> & { taken: number };
}

describe('a file in shared memory', () => {
  it('has its room and its parts', async () => {
    const dir = await mkdtemp(join(sharedFolder, 'workbench-test-'));
    const path = join(dir, 'region');
    const bytes = 2.5 * 1024 ** 2;
    const file = await open(path, 'wx');
    await fillShared(file, bytes, [{ at: 1_500_000, data: Uint8Array.of(1, 2, 3) }]);
    await file.close();
    const found = await stat(path);
    expect(found.size).toBe(bytes);
    expect(found.blocks * 512).toBeGreaterThanOrEqual(bytes);
    const content = await readFile(path);
    expect([...content.subarray(1_499_999, 1_500_004)]).toEqual([0, 1, 2, 3, 0]);
    await rm(dir, { recursive: true });
  });

  it.each([0, 1000, 1024 ** 2 + 7])('that finds room for %i bytes of more is an error', async (room) => {
    const file = nearlyFull(room);
    await expect(fillShared(file, 3 * 1024 ** 2, [])).rejects.toThrow('ENOSPC');
    expect(file.taken).toBe(room);
  });
});
