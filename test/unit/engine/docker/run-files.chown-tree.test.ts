import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chownTree, shareTree } from '../../../../main/engine/docker/run-files';

const isRoot = process.getuid?.() === 0;
const other = 4321;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-chown-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it.runIf(isRoot)('gives away a folder, what is in it, and no target of a link', async () => {
  const tree = join(dir, 'tree');
  const outside = join(dir, 'outside');
  await mkdir(join(tree, 'deep'), { recursive: true });
  await writeFile(join(tree, 'deep', 'file'), '');
  await writeFile(outside, '');
  await symlink(outside, join(tree, 'link'));
  await chownTree(tree, other);
  const owners = [tree, join(tree, 'deep'), join(tree, 'deep', 'file'), join(tree, 'link')].map(
    async (path) => (await lstat(path)).uid,
  );
  expect(await Promise.all(owners)).toEqual([other, other, other, other]);
  expect((await stat(outside)).uid).toBe(0);
});

it('passes over what has gone in the meantime', async () => {
  await expect(chownTree(join(dir, 'gone'), other)).resolves.toBeUndefined();
  const file = join(dir, 'file');
  await writeFile(file, '');
  await expect(chownTree(join(file, 'below'), other)).resolves.toBeUndefined();
});

it.runIf(isRoot)('does not enter a root that is a link', async () => {
  const victim = join(dir, 'victim');
  await mkdir(join(victim, 'deep'), { recursive: true });
  await writeFile(join(victim, 'deep', 'file'), '');
  const root = join(dir, 'results');
  await symlink(victim, root);
  await chownTree(root, other);
  const owners = [victim, join(victim, 'deep'), join(victim, 'deep', 'file'), root].map(
    async (path) => (await lstat(path)).uid,
  );
  expect(await Promise.all(owners)).toEqual([0, 0, 0, 0]);
});

it.runIf(isRoot)(
  'does not leave the folder when links take the place of folders while it works',
  async () => {
    const victim = join(dir, 'victim');
    const tree = join(dir, 'tree');
    const names = Array.from({ length: 40 }, (_unused, index) => `${index}`);
    await mkdir(tree);
    await mkdir(victim);
    await writeFile(join(victim, 'file'), '');
    for (const name of names) {
      await mkdir(join(victim, name));
      await mkdir(join(tree, name));
      await writeFile(join(tree, name, 'file'), '');
    }
    const working = { ended: false };
    const swap = async () => {
      for (let turn = 0; !working.ended; turn += 1) {
        const path = join(tree, names[turn % names.length] ?? '');
        await rename(path, `${path}.away`).catch(() => undefined);
        await symlink(victim, path).catch(() => undefined);
        await unlink(path).catch(() => undefined);
        await rename(`${path}.away`, path).catch(() => undefined);
      }
    };
    const swapping = swap();
    for (let turn = 0; turn < 60; turn += 1) await chownTree(tree, other);
    working.ended = true;
    await swapping;
    const owners = [victim, join(victim, 'file'), ...names.map((name) => join(victim, name))].map(
      async (path) => (await lstat(path)).uid,
    );
    expect(new Set(await Promise.all(owners))).toEqual(new Set([0]));
  },
);

it.runIf(isRoot)('lets a group read what is of root, and nobody change or anybody else read it', async () => {
  const tree = join(dir, 'tree');
  const outside = join(dir, 'outside');
  await mkdir(join(tree, 'deep'), { recursive: true, mode: 0o700 });
  for (const file of [join(tree, 'deep', 'file'), join(tree, 'theirs'), outside]) {
    await writeFile(file, '');
    await chmod(file, 0o600);
  }
  await chown(join(tree, 'theirs'), other + 1, other + 1);
  await symlink(outside, join(tree, 'link'));
  const seen = async (...paths: readonly string[]) =>
    Promise.all(
      paths.map(async (path) => {
        const { uid, gid, mode } = await lstat(path);
        return `${uid}:${gid} ${(mode & 0o777).toString(8)}`;
      }),
    );
  await shareTree(tree, other, false);
  expect(await seen(tree, join(tree, 'deep'))).toEqual([`0:${other} 750`, '0:0 700']);
  await shareTree(tree, other, true);
  expect(await seen(join(tree, 'deep'), join(tree, 'deep', 'file'))).toEqual([
    `0:${other} 750`,
    `0:${other} 640`,
  ]);
  expect(await seen(join(tree, 'theirs'), outside)).toEqual([`${other + 1}:${other + 1} 600`, '0:0 600']);
});
