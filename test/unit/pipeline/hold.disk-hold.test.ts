import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { clearUnfinished, DiskHolds } from '../../../main/pipeline/hold';
import { fileError } from '../../../main/platform/plain-entry';

const mib = 2 ** 20;
const noSpace = (more: object = {}) => Object.assign(new Error('no space'), { code: 'ENOSPC', ...more });

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'disk-hold-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

/** A fault injector: disks with the room that a test gives them. */
function fakeDisks(freeBytes: Record<string, number>, freeFiles: number | null = null) {
  const ask = (path: string) => {
    const folder = Object.keys(freeBytes).find((one) => path.startsWith(one));
    const free = folder === undefined ? undefined : freeBytes[folder];
    return Promise.resolve(
      folder === undefined || free === undefined ? null : { folder, freeBytes: free, freeFiles },
    );
  };
  return new DiskHolds(Object.keys(freeBytes), ask);
}

describe('a failure on a full disk', () => {
  it.each([
    ['the words of a library', new WorkbenchError('toolkit-failed', 'RuntimeError: unexpected pos 1 vs 2')],
    ['a refusal of the model', new WorkbenchError('model-folder-invalid', 'cannot be exported')],
    ['an error of its own', new Error('EIO')],
  ])('is named as that, whatever %s said', async (_, error) => {
    const hold = await fakeDisks({ '/run': 500 * mib, '/home': 0.5 * mib }).of(error, null);
    expect(hold?.error).toMatchObject({ code: 'disk-full', where: '/home' });
    expect(hold?.error.details).toContain(error.message);
    expect(hold?.wait).toEqual({
      reason: 'disk',
      what: 'space on /home: at least 64.5 MiB must be free, but only 512.0 KiB are',
    });
  });

  it.each([
    ['in its causes', new WorkbenchError('internal', 'x', { cause: new Error('y', { cause: noSpace() }) })],
    ['of a copy, whose target counts', noSpace({ path: '/home/cache/a', dest: '/run/a' })],
    ['of a quota', fileError(Object.assign(new Error('q'), { code: 'EDQUOT' }), '/run/journal.jsonl')],
    ['told by the toolkit', new WorkbenchError('disk-full', 'There is no space left', { where: '/run/m' })],
  ])('is known by an error %s, although there is room again', async (_, error) => {
    const hold = await fakeDisks({ '/run': 10 * mib, '/home': 900 * mib }).of(error, null);
    expect(hold?.wait.what).toBe('space on /run: at least 74.0 MiB must be free, but only 10.0 MiB are');
  });

  it('is not made of a failure while there is room, nor of a cancel on a full disk', async () => {
    const failed = new WorkbenchError('toolkit-failed', 'No space left in the tensor');
    expect(await fakeDisks({ '/run': 2 * mib }).of(failed, null)).toBeNull();
    expect(await fakeDisks({ '/run': 0 }).of(new WorkbenchError('cancelled', 'x'), null)).toBeNull();
  });

  it('knows a disk that takes no more files', async () => {
    const hold = await fakeDisks({ '/run': 900 * mib }, 0).of(noSpace(), null);
    expect(hold?.wait.what).toBe(
      'space on /run: room for at least 64 more files is needed, and there is room for 0',
    );
    expect(await hold?.isOver()).toBe(false);
  });
});

describe('room', () => {
  it('is more than there was with what the step had half done, and more each time', async () => {
    await writeFile(join(dir, 'half'), Buffer.alloc(3 * mib));
    const free = { '/run': 0 };
    const disks = fakeDisks(free);
    const first = await disks.of(noSpace(), dir);
    // The half-done file is removed: that is not the room that is missing.
    free['/run'] = 3 * mib;
    expect(await first?.isOver()).toBe(false);
    free['/run'] = 67 * mib;
    expect(await first?.isOver()).toBe(true);
    const second = await disks.of(noSpace(), null);
    expect(await second?.isOver()).toBe(false);
    expect(second?.wait.what).toContain('195.0 MiB must be free');
  });

  it('is made by removing what is half done, and the log stays', async () => {
    await writeFile(join(dir, 'model.onnx.partial'), 'half');
    await writeFile(join(dir, 'step.log'), 'why');
    await clearUnfinished(dir);
    expect(await readdir(dir)).toEqual(['step.log']);
    await clearUnfinished(join(dir, 'none'));
  });
});
