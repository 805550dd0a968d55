import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { InputData } from '../../../main/contract/measured/input-data';
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

const tokens = [
  { name: 'input_ids', datatype: 'INT64', shape: [-1, -1] },
  { name: 'attention_mask', datatype: 'INT64', shape: [-1, -1] },
  { name: 'token_type_ids', datatype: 'INT32', shape: [-1, -1] },
  { name: 'position_ids', datatype: 'INT64', shape: [-1, -1] },
  { name: 'input_lengths', datatype: 'INT32', shape: [-1, 1] },
];

/** Values of each sample, by input. */
const valuesOf = async ({ tensors }: InputData) =>
  Object.fromEntries(
    await Promise.all(
      tensors.map(async ({ name, datatype, files }) => {
        const samples = await Promise.all(files.map((file) => readFile(join(dir, file))));
        const read = (raw: Buffer) => {
          const bytes = new Uint8Array(raw).buffer;
          return datatype === 'INT64'
            ? Array.from(new BigInt64Array(bytes), Number)
            : Array.from(new Int32Array(bytes));
        };
        return [name, samples.map(read)] as const;
      }),
    ),
  );

it('has values that fit each other, by what the inputs are called', async () => {
  const shapes = Object.fromEntries(tokens.slice(0, 4).map(({ name }) => [name, [300]]));
  const made = await generateInput(tokens, { batched: true, shapes, mode: 'random', dir });
  const values = await valuesOf(made);
  expect(values['attention_mask']?.[0]).toEqual(Array(300).fill(1));
  expect(values['token_type_ids']?.[0]).toEqual(Array(300).fill(0));
  expect(values['position_ids']?.[0]).toEqual(Array.from({ length: 300 }, (_unused, at) => at));
  expect(values['input_lengths']).toEqual([[300]]);
  expect(new Set(values['input_ids']?.[0])).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  const zero = await valuesOf(await generateInput(tokens, { batched: true, shapes, mode: 'zero', dir }));
  expect(zero['attention_mask']?.[0]?.some((value) => value !== 0)).toBe(false);
});

it('has samples of the lengths that are asked for, the same for all inputs', async () => {
  const options = { batched: true, shapes: {}, mode: 'random', dir } as const;
  const made = await generateInput(tokens, { ...options, lengths: [4, 2, 7] });
  expect(made.tensors[0]).toMatchObject({ shape: [4], shapes: [[4], [2], [7]] });
  expect(made.tensors[4]).toMatchObject({ name: 'input_lengths', shape: [1] });
  expect(made.tensors[4]?.shapes).toBeUndefined();
  // Behind the end of a shorter sample, which the mask leaves out.
  expect(made.tensors.map(({ padding }) => padding)).toEqual([0, 0, 0, 0, undefined]);
  const withoutMask = await generateInput(tokens.slice(0, 1), { ...options, lengths: [4, 2] });
  expect(withoutMask.tensors[0]).not.toHaveProperty('padding');
  const values = await valuesOf(made);
  expect(values['input_ids']?.map((sample) => sample.length)).toEqual([4, 2, 7]);
  expect(values['attention_mask']).toEqual([Array(4).fill(1), [1, 1], Array(7).fill(1)]);
  expect(values['input_lengths']).toEqual([[4], [2], [7]]);
  const fixed = [{ name: 'X', datatype: 'FP32', shape: [-1, 3] }];
  await expect(generateInput(fixed, { ...options, lengths: [4] })).rejects.toMatchObject({
    where: '--length-distribution',
  });
});
