import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { generateInput } from '../../../main/perf/generate-input';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'generated-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it.each([
  ['FP32', [1e15], 'larger than 1024 MiB'],
  ['FP32', [1e200, 1e200], 'larger than 1024 MiB'],
  ['UINT8', [2 ** 30 + 1], 'larger than 1024 MiB'],
  ['BYTES', [2 ** 26], 'larger than 1024 MiB'],
  ['INT8', [0.5, 2], 'which no tensor has'],
])('input of a shape that no request has is not made: %s %j', async (datatype, shape, message) => {
  const options = { batched: false, shapes: {}, mode: 'random', dir } as const;
  await expect(generateInput([{ name: 'I', datatype, shape }], options)).rejects.toMatchObject({
    code: 'input-invalid',
    message: expect.stringContaining(message) as string,
  });
});

it('makes several samples, of which the first is the same however many follow', async () => {
  const tensors = [
    { name: 'X', datatype: 'FP32', shape: [-1, 2] },
    { name: 'T', datatype: 'BYTES', shape: [-1, 1] },
  ];
  const made = async (samples?: number) => {
    const { tensors: found } = await generateInput(tensors, {
      ...{ batched: true, shapes: {}, mode: 'random', dir, samples },
    });
    return Promise.all(
      found.map(({ files }) => Promise.all(files.map((file) => readFile(join(dir, file), 'latin1')))),
    );
  };
  const one = await made();
  const three = await made(3);
  expect(one.map((files) => files.length)).toEqual([1, 1]);
  expect(three.map(([first]) => first)).toEqual(one.map(([first]) => first));
  expect(three.map((files) => new Set(files).size)).toEqual([3, 3]);
});
