import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InputData } from '../../../main/contract/measured/input-data';
import { sampleCount, sampleRequest } from '../../../main/golden/sample-request';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-samples-'));
  for (const at of [0, 1, 2]) await writeFile(join(dir, `${at}.bin`), Buffer.from([at]));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const inputData = (shapes?: number[][]): InputData => ({
  source: 'random',
  tensors: [
    {
      ...{ name: 'x', datatype: 'UINT8', shape: [1], files: ['0.bin', '1.bin', '2.bin'] },
      ...(shapes === undefined ? {} : { shapes }),
    },
  ],
});

it('puts samples that follow each other into one batch, and begins again', async () => {
  expect(sampleCount(inputData())).toBe(3);
  const [x] = await sampleRequest({ inputData: inputData(), dir, batched: true }, 1, 2);
  expect(x).toMatchObject({ name: 'x', shape: [2, 1] });
  expect([...(x?.data ?? [])]).toEqual([2, 0]);
});

it('repeats one sample where their shapes differ, and has no batch dimension where the model has none', async () => {
  const varying = inputData([[1], [2], [3]]);
  const [x] = await sampleRequest({ inputData: varying, dir, batched: true }, 1, 2);
  expect([x?.shape, [...(x?.data ?? [])]]).toEqual([
    [2, 2],
    [1, 1],
  ]);
  const [single] = await sampleRequest({ inputData: inputData(), dir, batched: false }, 2);
  expect([single?.shape, [...(single?.data ?? [])]]).toEqual([[1], [2]]);
});
