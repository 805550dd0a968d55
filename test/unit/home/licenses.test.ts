import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLicenses } from '../../../main/home/licenses';

let folder: string;
let resources: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-licenses-'));
  resources = join(folder, 'app.asar.unpacked', 'resources');
  await mkdir(resources, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const one = { kind: 'npm', name: 'zod', version: '4.0.0', license: 'MIT', text: 'Text' };

it('reads the list beside the archive of a package', async () => {
  await writeFile(join(folder, 'licenses.json'), JSON.stringify([one]));
  expect(await readLicenses(resources)).toEqual([one]);
});

it('a clone, and a package without a list, have none', async () => {
  expect(await readLicenses('/clone/resources')).toBeNull();
  expect(await readLicenses(resources)).toBeNull();
});

it('a damaged list is an error, never half a list', async () => {
  await writeFile(join(folder, 'licenses.json'), JSON.stringify([one, { name: 'x' }]));
  await expect(readLicenses(resources)).rejects.toThrow();
});
