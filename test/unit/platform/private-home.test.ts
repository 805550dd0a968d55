import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFileAtomic } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import { closedHomeText, keepHomePrivate, requireHomeFolder } from '../../../main/platform/private-home';
import { rejection } from '../../support/rejection';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'private-home-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const rights = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** As a workbench left it under the usual umask. */
async function openHome() {
  const layout = homeLayout(join(dir, 'home'));
  for (const folder of [layout.home, layout.runs, join(layout.home, 'window')]) await mkdir(folder);
  for (const file of [layout.trusted, layout.runKey]) await writeFile(file, '{}');
  for (const path of [layout.home, layout.runs]) await chmod(path, 0o755);
  for (const path of [layout.trusted, layout.runKey]) await chmod(path, 0o644);
  return layout;
}

it('is refused where a file is in its place, or above it', async () => {
  const file = join(dir, 'file');
  await writeFile(file, '');
  for (const home of [file, join(file, 'home')]) {
    expect(await rejection(requireHomeFolder(home))).toMatchObject({ code: 'input-invalid', where: home });
  }
  await expect(requireHomeFolder(dir)).resolves.toBeUndefined();
  await expect(requireHomeFolder(join(dir, 'above', 'home'))).resolves.toBeUndefined();
});

it('is made for its owner alone, whatever the umask', async () => {
  const layout = homeLayout(join(dir, 'above', 'home'));
  expect(await keepHomePrivate(layout)).toEqual([]);
  expect(await rights(layout.home)).toBe('700');
});

it('is closed where it was open, and says so once', async () => {
  const layout = await openHome();
  const closed = await keepHomePrivate(layout);
  expect(closed).toEqual([layout.home, layout.runs, layout.trusted, layout.runKey]);
  expect(closedHomeText(layout, closed)).toBe(
    `Other users of this machine had access to ${layout.home}. It is now closed to them.`,
  );
  for (const path of [layout.home, layout.runs]) expect(await rights(path)).toBe('700');
  for (const path of [layout.trusted, layout.runKey]) expect(await rights(path)).toBe('600');
  expect(await keepHomePrivate(layout)).toEqual([]);
  expect(closedHomeText(layout, [])).toBeNull();
});

it('is closed where the person wrote defaults of the command line into it', async () => {
  const layout = await openHome();
  await writeFile(layout.cliDefaults, 'runs: {limit: 5}');
  expect(await keepHomePrivate(layout)).toContain(layout.home);
  expect(await rights(layout.home)).toBe('700');
});

it('is closed with what the set-up leaves in it, and not beside a folder of somebody else', async () => {
  const layout = await openHome();
  await mkdir(join(layout.home, 'uv'));
  await mkdir(join(layout.home, 'triton.removed'));
  for (const name of ['setup.lease', 'tensorflow.lease', 'settings-unreadable-2026-11-25T12-00-00-000Z.json'])
    await writeFile(join(layout.home, name), '');
  expect(await keepHomePrivate(layout)).toContain(layout.home);
  await chmod(layout.home, 0o755);
  await mkdir(join(layout.home, 'letters.new'));
  await keepHomePrivate(layout);
  expect(await rights(layout.home)).toBe('755');
});

it('says nothing of what only stood open inside of a closed home', async () => {
  const layout = await openHome();
  await chmod(layout.home, 0o700);
  expect(await keepHomePrivate(layout)).toEqual([]);
  expect(await rights(layout.runs)).toBe('700');
});

it('leaves a folder that holds other things as well, and closes what is the workbench’s in it', async () => {
  const layout = await openHome();
  await writeFile(join(layout.home, 'letter.txt'), 'of somebody');
  expect(await keepHomePrivate(layout)).toEqual([layout.runs, layout.trusted, layout.runKey]);
  expect(await rights(layout.home)).toBe('755');
});

it('follows no link inside of it', async () => {
  const layout = await openHome();
  const elsewhere = join(dir, 'elsewhere');
  await mkdir(elsewhere);
  await chmod(elsewhere, 0o755);
  await rm(layout.runs, { recursive: true });
  await symlink(elsewhere, layout.runs);
  await keepHomePrivate(layout);
  expect(await rights(elsewhere)).toBe('755');
});

it('is no error where it cannot be made', async () => {
  expect(await keepHomePrivate(homeLayout('/proc/no-such-home'))).toEqual([]);
});

it('a file can be written for its owner alone', async () => {
  const path = join(dir, 'trusted.json');
  await writeFileAtomic(path, '{}', 0o600);
  expect(await rights(path)).toBe('600');
});
