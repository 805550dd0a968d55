import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenJson, goldenText } from '../../../main/golden/golden-json';
import { goldenNpz } from '../../../main/golden/golden-npz';
import type { GoldenSample } from '../../../main/golden/golden-samples';
import { goldenModel, readGolden } from '../../../main/golden/read-golden';
import type { WantedTensors } from '../../../main/perf/input/wanted-tensor';
import { encodeTexts } from '../../../main/triton/encode-values';
import { rejection } from '../../support/rejection';
import { zipBytes } from '../../support/zip-bytes';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-golden-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const wanted: WantedTensors = {
  inputs: [
    { name: 'IN', datatype: 'FP32', shape: [2] },
    { name: 'TEXT', datatype: 'BYTES', shape: [1] },
  ],
  outputs: [{ name: 'OUT', datatype: 'FP32', shape: [2] }],
};
const sample = (id: string, x: number): GoldenSample => ({
  id,
  inputs: [
    { name: 'IN', datatype: 'FP32', shape: [1, 2], data: floats(x, 0.1) },
    { name: 'TEXT', datatype: 'BYTES', shape: [1, 1], data: encodeTexts([`t${x}`]) },
  ],
  outputs: [{ name: 'OUT', datatype: 'FP32', shape: [1, 2], data: floats(x * 2, NaN) }],
});
const samples = [sample('0', 1), sample('1', 2)];
const header = { model: 'm', outputs: { OUT: { by: 'numbers', atol: 1, rtol: 0 } as const } };

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}
const read = (path: string) => readGolden({ path, wanted, batched: true });
const plain = (found: readonly GoldenSample[]) =>
  found.map(({ inputs, outputs }) =>
    [...inputs, ...outputs].map(({ name, datatype, shape, data }) => ({
      ...{ name, datatype, shape: [...shape], data: Buffer.from(data).toString('hex') },
    })),
  );

describe('a golden file', () => {
  it('of JSON comes back byte for byte, with what it says of itself', async () => {
    const document = goldenJson(header, samples);
    expect(document.samples[0]?.inputs).toEqual([
      { name: 'IN', datatype: 'FP32', shape: [1, 2], data: [1, 0.1] },
      { name: 'TEXT', datatype: 'BYTES', shape: [1, 1], data: ['t1'] },
    ]);
    // JSON has no NaN.
    expect(document.samples[0]?.outputs[0]).toMatchObject({ b64: floats(2, NaN).toString('base64') });
    const text = goldenText(document);
    expect(text.split('\n').filter((line) => line.startsWith('  {'))).toHaveLength(2);
    const path = await file('own.json', text);
    const golden = await read(path);
    expect(plain(golden.samples)).toEqual(plain(samples));
    expect(golden.header).toMatchObject({ model: 'm', outputs: header.outputs });
    expect(await goldenModel(path)).toBe('m');
  });

  it('has what is true of a sample, and outputs that are not compared', async () => {
    const output = { name: 'OUT', datatype: 'FP32', shape: [1, 2], data: [2, 4] };
    const input = { ...output, name: 'IN' };
    const truth = { kind: 'entities', entities: [{ start: 0, end: 2, label: 'PER' }] };
    const labeled = { inputs: [input], notCompared: [output], truth };
    const path = await file(
      'truth.json',
      JSON.stringify({ samples: [{ inputs: [input], outputs: [output] }, labeled] }),
    );
    const [plainOne, found] = (await read(path)).samples;
    expect([plainOne?.truth, plainOne?.notCompared]).toEqual([undefined, undefined]);
    expect(found).toMatchObject({ outputs: [], truth, notCompared: [{ name: 'OUT', data: floats(2, 4) }] });
    const wrong = await file(
      'wrong-truth.json',
      JSON.stringify({ samples: [{ ...labeled, outputs: [output], truth: { kind: 'label' } }] }),
    );
    expect((await rejection(read(wrong))).message).toContain('samples.0.truth.label');
  });

  it('of npz comes back too, and is what numpy writes', async () => {
    const path = await file('own.npz', goldenNpz(header, samples, true));
    const golden = await read(path);
    expect(plain(golden.samples)).toEqual(plain(samples));
    expect(golden.header).toMatchObject({ model: 'm', outputs: header.outputs });
    expect(await goldenModel(path)).toBe('m');
    expect((await readFile(path)).subarray(0, 2).toString()).toBe('PK');
  });

  it('of whole numbers, truth values, halves and wide numbers comes back', async () => {
    const tensor = (name: string, datatype: string, data: Buffer) => ({ name, datatype, shape: [1], data });
    const one: GoldenSample = {
      id: 'a',
      inputs: [
        tensor('I', 'INT64', Buffer.from(BigInt64Array.of(2n ** 60n + 1n).buffer)),
        tensor('B', 'BOOL', Buffer.of(1)),
        tensor('H', 'FP16', Buffer.of(0x55, 0x35)),
        tensor('T', 'BYTES', encodeTexts([Uint8Array.of(0xff, 0xd8, 0)])),
      ],
      outputs: [tensor('O', 'BF16', Buffer.of(0x80, 0x3f))],
    };
    const path = await file('types.json', JSON.stringify(goldenJson({ model: 'm', outputs: {} }, [one])));
    expect(plain((await read(path)).samples)).toEqual(plain([one]));
    const byArray = goldenNpz(
      { model: 'm', outputs: {} },
      [{ ...one, inputs: one.inputs.slice(0, 3) }],
      false,
    );
    expect(byArray.length).toBeGreaterThan(0);
    expect(() => goldenNpz({ model: 'm', outputs: {} }, [one], false)).toThrow('ends with a zero byte');
  });

  it('of one request and its answer, as Triton sends them, is one sample', async () => {
    const path = await file(
      'request.json',
      JSON.stringify({
        inputs: [{ name: 'IN', datatype: 'FP32', shape: [1, 2], data: [[1, 2]] }],
        outputs: [{ name: 'OUT', datatype: 'FP32', shape: [1, 2], data: [2, 4] }],
      }),
    );
    const { header: none, samples: found } = await read(path);
    expect(none).toBeNull();
    expect(found).toMatchObject([{ id: '0', outputs: [{ data: floats(2, 4) }] }]);
    expect(await goldenModel(path)).toBeNull();
  });

  it('of perf_analyzer has its outputs in validation_data', async () => {
    const path = await file(
      'analyzer.json',
      JSON.stringify({ data: [{ IN: [1, 2], TEXT: ['a'] }], validation_data: [{ OUT: [2, 4] }] }),
    );
    const [found] = (await read(path)).samples;
    expect(found).toMatchObject({ outputs: [{ name: 'OUT', shape: [1, 2], data: floats(2, 4) }] });
  });
});

describe('a file that is not one', () => {
  const samplesOf = (...tensors: object[]) =>
    JSON.stringify({ samples: [{ inputs: tensors, outputs: tensors }] });
  const good = { name: 'IN', datatype: 'FP32', shape: [1, 2], data: [1, 2] };

  it.each([
    ['no.json', 'not json', 'neither JSON nor an npz file'],
    ['empty.json', '{}', 'samples.0.inputs'],
    ['kind.json', '{"kind": "something", "samples": []}', 'kind: '],
    ['outputs.json', JSON.stringify({ samples: [{ inputs: [good] }] }), 'has no outputs'],
    ['type.json', samplesOf({ ...good, datatype: 'FLOAT' }), '"FLOAT" is not a type of Triton'],
    ['none.json', samplesOf({ ...good, data: undefined }), 'needs either "data" or "b64"'],
    ['size.json', samplesOf({ ...good, data: [1] }), 'IN has 4 bytes where FP32 [1, 2] has 8'],
    ['value.json', samplesOf({ ...good, data: [1, 'x'] }), 'value 1 ("x") is not a number'],
    [
      'rule.json',
      JSON.stringify({ ...goldenJson(header, []), outputs: { OUT: { by: 'luck' } } }),
      'outputs.OUT',
    ],
    ['analyzer-only.json', '{"data": [{"IN": [1, 2], "TEXT": ["a"]}]}', 'no outputs'],
    ['torn.npz', 'PK\u0003\u0004 torn', 'cannot be read as an npz file'],
    ['header.npz', zipBytes({ 'golden.json': '{"kind": 1}' }), 'cannot be read as an npz file'],
  ])('%s is refused', async (name, content, message) => {
    const path = await file(name, content);
    const refused = await rejection(read(path));
    expect(refused.code).toBe('input-invalid');
    expect(refused.where).toContain(path);
    expect(refused.message).toContain(message);
  });

  it('is not there, or is a folder', async () => {
    await expect(read(join(dir, 'absent'))).rejects.toThrow('does not exist');
    await expect(read(join(dir, 'absent'))).rejects.toMatchObject({
      remedy: expect.stringContaining('triton-workbench golden record') as string,
    });
    await expect(read(dir)).rejects.toThrow('not a file');
  });

  it('with Python objects is read without executing them', async () => {
    const header = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".padEnd(117) + '\n';
    const npy = `\x93NUMPY\x01\x00v\x00${header}cos\nsystem\n`;
    const path = await file('objects.npz', zipBytes({ 'IN.npy': npy }));
    await expect(read(path)).rejects.toThrow('Python objects');
  });

  it('has samples that no array takes', () => {
    const [first, second] = samples as [GoldenSample, GoldenSample];
    const longer = {
      ...second,
      outputs: second.outputs.map((output) => ({ ...output, shape: [1, 3], data: floats(1, 2, 3) })),
    };
    expect(() => goldenNpz(header, [first, longer], true)).toThrow('OUT does not fit into an array');
    expect(() => goldenNpz(header, [first, { ...second, outputs: [] }], true)).toThrow('only some samples');
  });
});
