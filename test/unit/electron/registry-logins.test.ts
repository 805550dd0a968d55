import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRegistryLogins, type KeyRing } from '../../../electron/registry-logins';

/** Stands for a desktop's key ring, which a machine without a desktop has not: turns every bit. */
const keyRingDouble = (backend: string): KeyRing => ({
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => backend,
  encryptString: (text) => Buffer.from(text).map((byte) => byte ^ 0xff) as Buffer,
  decryptString: (encrypted) => Buffer.from(encrypted.map((byte) => byte ^ 0xff)).toString(),
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-logins-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const login = { registry: 'nvcr.io', username: '$oauthtoken', password: 'nvapi-canary', keep: true };

it('keeps logins where there is a key ring, and forgets one with an empty password', async () => {
  const path = join(dir, 'logins');
  const logins = createRegistryLogins(path, keyRingDouble('gnome_libsecret'));
  expect(await logins.keep(login)).toBe(true);
  expect((await readFile(path)).toString('latin1')).not.toContain('canary');
  expect(await createRegistryLogins(path, keyRingDouble('gnome_libsecret')).read()).toEqual([login]);
  expect(await logins.keep({ ...login, password: '' })).toBe(false);
  expect(await logins.read()).toEqual([]);
});

it('forgets what it kept when the next login of the registry is not to be kept', async () => {
  const path = join(dir, 'logins');
  const logins = createRegistryLogins(path, keyRingDouble('gnome_libsecret'));
  const other = { ...login, registry: 'example.com' };
  await logins.keep(login);
  await logins.keep(other);
  expect(await logins.keep({ ...login, password: 'nvapi-new', keep: false })).toBe(false);
  expect(await logins.read()).toEqual([other]);
});

it('writes nothing with the password that everybody knows, and nothing when it is not asked to', async () => {
  expect(await createRegistryLogins(join(dir, 'logins'), keyRingDouble('basic_text')).keep(login)).toBe(
    false,
  );
  const ring = createRegistryLogins(join(dir, 'logins'), keyRingDouble('kwallet5'));
  expect(await ring.keep({ ...login, keep: false })).toBe(false);
  expect(await readdir(dir)).toEqual([]);
});

it('gives none where the file cannot be opened', async () => {
  const logins = createRegistryLogins(join(dir, 'logins'), keyRingDouble('kwallet5'));
  expect(await logins.read()).toEqual([]);
});
