import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { askedMatrix } from '../../../../main/cli/studies/asked-matrix';
import { readMatrix } from '../../../../main/specification/matrix';
import { rejection } from '../../../support/rejection';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'matrix-'));
});
afterEach(() => rm(dir, { recursive: true }));

it('of length buckets has one run per length', async () => {
  const { text, fileName, name, file } = await askedMatrix('./my-bert', { lengthBuckets: '32,64' });
  expect([name, file]).toEqual(['my-bert-lengths', undefined]);
  const { entries } = readMatrix({ text, fileName, preset: './my-bert', presets: [] });
  expect(entries.map(({ overrides, axes }) => [overrides['performance'], axes])).toEqual(
    ['32', '64'].map((value) => [
      { lengthDistribution: value },
      [{ field: 'performance.lengthDistribution', value }],
    ]),
  );
});

it('takes a range, and refuses what is no length or says lengths twice', async () => {
  const { text } = await askedMatrix('m', { lengthBuckets: '32:96:32' });
  expect(text).toContain('["32","64","96"]');
  for (const [options, message] of [
    [{ lengthBuckets: '32,0' }, '0 is not a length'],
    [{ lengthBuckets: '1.5' }, '1.5 is not a length'],
    [{ lengthBuckets: '32', matrix: 'night.yaml' }, '--matrix and --length-buckets cannot'],
    [{ lengthBuckets: '32', lengthDistribution: '8,16,32' }, '--length-distribution and --length-buckets'],
  ] as const) {
    expect(await rejection(askedMatrix('m', options))).toMatchObject({
      ...{ code: 'input-invalid', where: '--length-buckets' },
      message: expect.stringContaining(message) as string,
    });
  }
  expect(await rejection(askedMatrix(undefined, { lengthBuckets: '32' }))).toMatchObject({
    where: '[preset]',
  });
});

it('of a file is its text, with the name of the file', async () => {
  const path = join(dir, 'night.yaml');
  await writeFile(path, 'matrix: { format: [onnx] }\n');
  expect(await askedMatrix(undefined, { matrix: path })).toEqual({
    ...{ text: 'matrix: { format: [onnx] }\n', fileName: 'night.yaml', name: 'night', file: path },
  });
});
