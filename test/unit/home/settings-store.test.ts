import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SettingKey, SettingsState, SettingValue } from '../../../main/contract/settings/settings';
import { createSettingsStore, type SettingsStore } from '../../../main/home/settings-store';
import { rejection } from '../../support/rejection';

let home: string;
let file: string;
let store: SettingsStore;
const received: SettingsState[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-settings-'));
  file = join(home, 'settings.json');
  received.length = 0;
  store = createSettingsStore({
    file,
    now: () => new Date('2026-11-25T12:00:00.000Z'),
    onChange: (state) => received.push(state),
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const content = async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

it('writes what differs from the default, for the owner only, and keeps unknown keys', async () => {
  await writeFile(file, '{"later.key": [1]}');
  await store.set('deployment.engine', 'docker');
  await store.set('runs.keepDays', 30);
  expect(await content()).toEqual({ 'later.key': [1], 'deployment.engine': 'docker', 'runs.keepDays': 30 });
  expect((await stat(file)).mode & 0o077).toBe(0);
  await store.set('deployment.engine', 'preset');
  await store.reset('runs.keepDays');
  expect(await content()).toEqual({ 'later.key': [1] });
  expect(received).toHaveLength(4);
});

it('makes changes that come at once one after the other', async () => {
  await Promise.all([store.set('runs.keepDays', 9), store.set('window.theme', 'dark')]);
  expect(await content()).toEqual({ 'runs.keepDays': 9, 'window.theme': 'dark' });
});

it('loses no change of two processes', async () => {
  const other = createSettingsStore({ file, now: () => new Date(), onChange: () => undefined });
  await writeFile(file, '{"later.key": [1]}');
  const changes: [SettingKey, SettingValue][] = [
    ['runs.keepDays', 30],
    ['window.theme', 'dark'],
    ['deployment.release', '26.07'],
    ['deployment.p99BudgetMs', 20],
  ];
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      changes.map(([key, value], index) => (index % 2 === 0 ? store : other).set(key, value)),
    );
    expect(await content()).toEqual({ 'later.key': [1], ...Object.fromEntries(changes) });
    await Promise.all(changes.map(([key], index) => (index % 2 === 0 ? other : store).reset(key)));
    expect(await content()).toEqual({ 'later.key': [1] });
  }
  expect(await readdir(home)).toEqual(['settings.json']);
});

it('changes the file behind a link, and keeps the link', async () => {
  const place = join(home, 'dotfiles.json');
  await writeFile(place, '{}');
  await symlink(place, file);
  await store.set('window.theme', 'dark');
  expect(JSON.parse(await readFile(place, 'utf8'))).toEqual({ 'window.theme': 'dark' });
  expect((await lstat(file)).isSymbolicLink()).toBe(true);
});

it('refuses a value out of range and writes nothing', async () => {
  expect(await rejection(store.set('runs.keepDays', 0))).toMatchObject({
    code: 'input-invalid',
    where: 'runs.keepDays',
  });
  expect(await readdir(home)).toEqual([]);
});

it.each(['{"runs.keepDays": 3', '[]', 'null'])('reports %s and never overwrites it', async (text) => {
  await writeFile(file, text);
  const state = await store.read();
  expect(state.broken).not.toBeNull();
  expect(state.changed).toEqual([]);
  expect(await rejection(store.set('window.theme', 'dark'))).toMatchObject({ code: 'input-invalid' });
  expect(await readFile(file, 'utf8')).toBe(text);
  const aside = await store.setAside();
  expect(await readFile(aside, 'utf8')).toBe(text);
  expect((await store.set('window.theme', 'dark')).values['window.theme']).toBe('dark');
});
