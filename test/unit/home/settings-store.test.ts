import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SettingsState } from '../../../main/contract/settings/settings';
import { createSettingsStore, type SettingsStore } from '../../../main/home/settings-store';
import { rejection } from '../../support/rejection';

let home: string;
let file: string;
let store: SettingsStore;
const heard: SettingsState[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-settings-'));
  file = join(home, 'settings.json');
  heard.length = 0;
  store = createSettingsStore({
    file,
    now: () => new Date('2026-11-25T12:00:00.000Z'),
    onChange: (state) => heard.push(state),
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
  expect(heard).toHaveLength(4);
});

it('makes changes that come at once one after the other', async () => {
  await Promise.all([store.set('runs.keepDays', 9), store.set('window.theme', 'dark')]);
  expect(await content()).toEqual({ 'runs.keepDays': 9, 'window.theme': 'dark' });
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
