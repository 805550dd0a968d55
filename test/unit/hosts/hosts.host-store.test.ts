import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../../../main/contract/host/hosts';
import { createHostStore } from '../../../main/hosts/hosts';
import { rejection } from '../../support/rejection';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-hosts-'));
  file = join(home, 'hosts.json');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = () => createHostStore({ file, now: () => new Date(0) });
const host = (name: string): Host => ({
  name,
  address: `ssh://${name}`,
  addedAt: '2026-01-01T00:00:00.000Z',
});

describe('the list of hosts', () => {
  it('is empty without a file, and sorted by name with one', async () => {
    expect(await open().read()).toEqual([]);
    await open().change(() => ['gpu10', 'b', 'gpu2'].map(host));
    expect((await open().read()).map(({ name }) => name)).toEqual(['b', 'gpu2', 'gpu10']);
  });

  it('is for the owner only', async () => {
    await open().change(() => [host('a')]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('loses nothing when several change it at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `host-${index}`);
    await Promise.all(names.map((name) => open().change((hosts) => [...hosts, host(name)])));
    expect((await open().read()).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['no JSON', '{"version": 1, "hosts": ['],
    ['another shape', '{"version": 1, "hosts": {}}'],
    [
      'a password',
      JSON.stringify({ version: 1, hosts: [{ ...host('a'), address: 'ssh://ada:secret@gpu' }] }),
    ],
  ])('that is damaged, %s, is renamed, and the error says so', async (_what, text) => {
    await writeFile(file, text);
    const error = await rejection(open().change((hosts) => [...hosts, host('new')]));
    expect(error.code).toBe('input-invalid');
    const aside = join(home, 'hosts-unreadable-1970-01-01T00-00-00-000Z.json');
    expect(error.message).toContain(aside);
    expect(error.message).not.toContain('secret');
    expect(await readFile(aside, 'utf8')).toBe(text);
    expect(await open().read()).toEqual([]);
  });

  it('of a newer version is left as it is', async () => {
    const text = JSON.stringify({ version: 2, machines: [] });
    await writeFile(file, text);
    expect((await rejection(open().read())).message).toContain('newer workbench');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await readdir(home)).toEqual(['hosts.json']);
  });
});
