import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prebuiltFile, readPrebuiltPresets } from '../../../main/presets/prebuilt-presets';
import { createPresets, readPresets } from '../../../main/presets/presets';
import { prebuiltPresets } from '../../../scripts/lib/package/write-prebuilt-presets';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-prebuilt-'));
  await writeFile(join(folder, prebuiltFile), JSON.stringify(prebuiltPresets('resources')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('has the presets as their files are read', () => {
  const found = readPrebuiltPresets(folder, 'resources');
  expect(found).toEqual(readPresets('resources'));
});

it('is not taken once a file is another one, nor when it is missing or damaged', async () => {
  const resources = join(folder, 'resources');
  await cp(join('resources', 'models'), join(resources, 'models'), { recursive: true });
  expect(readPrebuiltPresets(folder, resources)).not.toBeNull();
  await appendFile(join(resources, 'models', 'resnet50', 'preset.yaml'), '# changed\n');
  expect(readPrebuiltPresets(folder, resources)).toBeNull();
  expect(readPrebuiltPresets(join(folder, 'none'), 'resources')).toBeNull();
  await writeFile(join(folder, prebuiltFile), '{');
  expect(readPrebuiltPresets(folder, 'resources')).toBeNull();
});

it('is taken in place of the files, which are read where it is not', () => {
  const given = readPrebuiltPresets(folder, 'resources');
  expect(createPresets('none', () => given)()).toBe(given);
  expect(createPresets('resources', () => null)()).toEqual(given);
});
