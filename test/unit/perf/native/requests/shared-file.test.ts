import type { FileHandle } from 'node:fs/promises';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillShared } from '../../../../../main/perf/native/requests/shared-file';
import { sharedFolder } from '../../../../../main/perf/native/requests/shared-names';

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
