import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireFitting, requireTexts, samplesKey } from '../../../../main/core/huggingface/own-samples';
import type { PipelinePlan } from '../../../../main/own/huggingface/pipeline-plan';
import { rejection } from '../../../support/rejection';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-samples-'));
  await mkdir(join(dir, 'cat'));
  await writeFile(join(dir, 'cat', 'a.png'), 'a');
});
afterEach(() => rm(dir, { recursive: true }));

it('tells the states of a folder apart by name, size and time of its files', async () => {
  const first = await samplesKey(dir);
  expect(await samplesKey(dir)).toBe(first);
  const at = join(dir, 'cat', 'a.png');
  await utimes(at, 1, 1);
  const touched = await samplesKey(dir);
  expect(touched).not.toBe(first);
  await writeFile(join(dir, 'cat', 'b.png'), 'b');
  expect(await samplesKey(dir)).not.toBe(touched);
  // A link that leads nowhere is an entry as well; reading says what is wrong with it.
  await symlink(join(dir, 'none'), join(dir, 'c.png'));
  expect(await samplesKey(dir)).toMatch(/^[0-9a-f]{64}$/);
});

it('refuses what is not a folder', async () => {
  for (const [name, what] of [
    ['none', 'does not exist'],
    ['cat/a.png', 'is not a folder'],
  ] as const) {
    const path = join(dir, name);
    expect(await rejection(samplesKey(path))).toMatchObject({
      ...{ code: 'input-invalid', where: '--samples', message: `${path} ${what}` },
    });
  }
});

it('takes texts of a file, and images and recordings of a folder', () => {
  const ofTexts = { name: 'a', task: 'text-classification', lastStep: null, mostTokens: 8 } as PipelinePlan;
  const ofImages: PipelinePlan = { ...ofTexts, media: 'images' };
  expect(() => {
    requireFitting(ofTexts, { texts: '/a.txt' });
    requireFitting(ofImages, { samples: '/images' });
  }).not.toThrow();
  expect(() => {
    requireFitting(ofTexts, { samples: '/images' });
  }).toThrow('The pipeline takes texts, and no images or recordings');
  expect(() => {
    requireFitting(ofImages, { texts: '/a.txt' });
  }).toThrow('The pipeline takes images and no texts');
});

it('refuses texts that are not a file, or a file without a text', async () => {
  await writeFile(join(dir, 'blank.txt'), '\n \n');
  await writeFile(join(dir, 'texts.txt'), 'a text\n');
  await expect(requireTexts(join(dir, 'texts.txt'))).resolves.toBeUndefined();
  for (const [name, what] of [
    ['none.txt', 'does not exist'],
    ['cat', 'is not a file'],
    ['blank.txt', 'has no texts'],
  ] as const) {
    const path = join(dir, name);
    expect(await rejection(requireTexts(path))).toMatchObject({
      ...{ code: 'input-invalid', where: '--texts', message: `${path} ${what}` },
    });
  }
});
