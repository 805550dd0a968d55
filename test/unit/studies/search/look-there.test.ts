import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Executor } from '../../../../main/engine/engine';
import { lookThere } from '../../../../main/studies/search/look-there';

it('gives a host the inputs once, and each look a folder that containers may write to', async () => {
  const root = await mkdtemp(join(tmpdir(), 'twb-there-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const from = join(root, 'run', 'steps', 'profile-data');
  await mkdir(from, { recursive: true });
  await writeFile(join(from, 'input-data.json'), '{}');
  const dir = join(root, 'work');
  const loadTools = {} as Executor['loadTools'];
  const there = lookThere({ loadTools }, dir, 'deploy');
  const [one, again] = await Promise.all([there.inputs(from), there.inputs(from)]);
  expect(again).toBe(one);
  expect(await readdir(join(dir, 'steps'))).toEqual(['inputs-0']);
  expect(await readdir(one)).toEqual(['input-data.json']);
  const other = join(root, 'run', 'steps', 'other');
  await mkdir(other);
  expect(await there.inputs(other)).not.toBe(one);
  expect(there.folder().startsWith(join(dir, 'steps', 'deploy', 'look-'))).toBe(true);
  expect(there.folder()).not.toBe(there.folder());
});
