import { mkdtemp, rm } from 'node:fs/promises';
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
