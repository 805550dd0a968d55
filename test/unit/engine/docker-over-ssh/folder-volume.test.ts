import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  changedIn,
  contentHash,
  emptyMirror,
  mirrored,
  missingIn,
  readFolder,
  whileChanging,
  withTaken,
} from '../../../../main/engine/docker-over-ssh/folder-volume';
import { hashFile } from '../../../../main/platform/files';
import { rejection } from '../../../support/rejection';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'folder-volume-'));
  await mkdir(join(root, 'model'));
  await writeFile(join(root, 'model', 'weights'), 'w');
  await writeFile(join(root, 'job.json'), '{}');
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('a folder and the volume that mirrors it', () => {
  it('sends all of it at first, and then only what changed', async () => {
    const content = await readFolder(root);
    const empty = emptyMirror('v');
    const first = missingIn(empty, content, root);
    expect(first?.folders).toEqual(['', 'model']);
    expect(first?.files.map(({ path }) => path).sort()).toEqual(['job.json', 'model/weights']);

    const mirror = mirrored(empty, content);
    expect(missingIn(mirror, await readFolder(root, mirror.files), root)).toEqual({ folders: [], files: [] });
    await writeFile(join(root, 'job.json'), '{"a":1}');
    await mkdir(join(root, 'level'));
    expect(missingIn(mirror, await readFolder(root, mirror.files), root)).toEqual({
      folders: ['level'],
      files: [{ path: 'job.json', from: join(root, 'job.json') }],
    });
  });

  it('cannot take a file away: another volume is needed', async () => {
    const mirror = mirrored(emptyMirror('v'), await readFolder(root));
    await rm(join(root, 'job.json'));
    expect(missingIn(mirror, await readFolder(root), root)).toBeNull();
  });

  it('knows what came back, and does not send it again', async () => {
    const mirror = mirrored(emptyMirror('v'), await readFolder(root));
    await mkdir(join(root, 'b1-c1'));
    await writeFile(join(root, 'b1-c1', 'result.json'), '{}');
    const sha256 = await hashFile(join(root, 'b1-c1', 'result.json'));
    const taken = [{ path: 'result.json', bytes: 2, sha256, written: true }];
    const after = await withTaken(mirror, root, taken, 'b1-c1');
    expect(missingIn(after, await readFolder(root, after.files), root)).toEqual({ folders: [], files: [] });
  });

  it('leaves out what is written here alone, and takes no link', async () => {
    const content = await readFolder(root, {}, (path) => path === 'job.json');
    expect([...content.files.keys()]).toEqual(['model/weights']);
    await symlink('/etc/passwd', join(root, 'link'));
    expect(await rejection(readFolder(root))).toMatchObject({ code: 'run-folder-unsafe' });
  });

  it('has a hash of its content that does not depend on the order', () => {
    const parts = [['a', '1'] as const, ['b', '2'] as const];
    expect(contentHash(parts)).toBe(contentHash([...parts].reverse()));
    expect(contentHash(parts)).not.toBe(contentHash([['a', '2'] as const, ['b', '1'] as const]));
  });
});

describe('a folder and a volume where a program can link and remove', () => {
  it('sends only content that the volume does not have', async () => {
    const empty = emptyMirror('v');
    const all = changedIn(empty, await readFolder(root), root);
    expect(all).toMatchObject({ linked: [], gone: [] });
    expect(all.missing.files.map(({ path }) => path).sort()).toEqual(['job.json', 'model/weights']);

    const mirror = mirrored(empty, await readFolder(root));
    await mkdir(join(root, 'candidate'));
    await writeFile(join(root, 'candidate', 'weights'), 'w');
    await writeFile(join(root, 'candidate', 'config'), 'new');
    const { linked, missing, gone } = changedIn(mirror, await readFolder(root), root);
    expect(linked).toEqual([{ from: 'model/weights', to: 'candidate/weights' }]);
    expect(missing.folders).toEqual(['candidate']);
    expect(missing.files.map(({ path }) => path)).toEqual(['candidate/config']);
    expect(gone).toEqual([]);
  });

  it('removes what is no longer here: a folder with all that is in it, and single files', async () => {
    await mkdir(join(root, 'old', 'deep'), { recursive: true });
    await writeFile(join(root, 'old', 'deep', 'file'), 'o');
    const mirror = mirrored(emptyMirror('v'), await readFolder(root));
    await rm(join(root, 'old'), { recursive: true });
    await rm(join(root, 'job.json'));
    const { linked, missing, gone } = changedIn(mirror, await readFolder(root), root);
    expect(gone).toEqual(['old', 'job.json']);
    expect([linked, missing]).toEqual([[], { folders: [], files: [] }]);
  });

  it('links to nothing that is going to be another file', async () => {
    const mirror = mirrored(emptyMirror('v'), await readFolder(root));
    await writeFile(join(root, 'model', 'weights'), '{}');
    await writeFile(join(root, 'job.json'), 'w');
    const { linked, missing } = changedIn(mirror, await readFolder(root), root);
    expect(linked).toEqual([]);
    expect(missing.files.map(({ path }) => path).sort()).toEqual(['job.json', 'model/weights']);
  });

  it('sends and removes again what a cut left', async () => {
    await mkdir(join(root, 'old'));
    await writeFile(join(root, 'old', 'file'), 'o');
    const before = mirrored(emptyMirror('v'), await readFolder(root));
    await rm(join(root, 'old'), { recursive: true });
    await writeFile(join(root, 'job.json'), 'new');
    await mkdir(join(root, 'candidate'));
    await writeFile(join(root, 'candidate', 'config'), 'c');
    const cut = whileChanging(before, await readFolder(root, before.files));

    const again = changedIn(cut, await readFolder(root, cut.files), root);
    expect(again.linked).toEqual([]);
    expect([...again.missing.folders].sort()).toEqual(['', 'candidate', 'model']);
    expect(again.missing.files.map(({ path }) => path).sort()).toEqual(['candidate/config', 'job.json']);
    expect(again.gone).toEqual(['old']);
  });

  it('takes away what came with a cut and is no longer wanted, and puts back what was replaced', async () => {
    const content = await readFolder(root);
    const before = mirrored(emptyMirror('v'), content);
    await writeFile(join(root, 'job.json'), 'new');
    await mkdir(join(root, 'candidate'));
    await writeFile(join(root, 'candidate', 'config'), 'c');
    const cut = whileChanging(before, await readFolder(root, before.files));
    await rm(join(root, 'candidate'), { recursive: true });
    await writeFile(join(root, 'job.json'), '{}');

    const now = await readFolder(root, cut.files);
    const { linked, missing, gone } = changedIn(cut, now, root);
    expect(linked).toEqual([]);
    expect(missing.files.map(({ path }) => path)).toEqual(['job.json']);
    expect(gone).toEqual(['candidate']);
    expect(changedIn(mirrored(cut, now), now, root)).toEqual({
      linked: [],
      missing: { folders: [], files: [] },
      replaced: [],
      gone: [],
    });
  });

  it('removes first what is in the place of something else, and links to nothing of it', async () => {
    await mkdir(join(root, 'old'));
    await writeFile(join(root, 'old', 'file'), 'kept');
    const before = mirrored(emptyMirror('v'), await readFolder(root));
    await rm(join(root, 'old'), { recursive: true });
    await writeFile(join(root, 'old'), 'kept');
    await rm(join(root, 'job.json'));
    await mkdir(join(root, 'job.json'));
    await writeFile(join(root, 'job.json', 'part'), '{}');
    const now = await readFolder(root, before.files);
    const first = changedIn(before, now, root);
    expect(first).toMatchObject({ linked: [], replaced: ['old', 'job.json'], gone: [] });
    expect(first.missing.folders).toEqual(['job.json']);
    expect(first.missing.files.map(({ path }) => path).sort()).toEqual(['job.json/part', 'old']);

    const cut = whileChanging(before, now);
    const again = changedIn(cut, await readFolder(root, cut.files), root);
    expect(again).toMatchObject({ replaced: ['old', 'job.json'], gone: [] });
    expect(again.missing.files.map(({ path }) => path).sort()).toEqual(['job.json/part', 'old']);
  });
});
