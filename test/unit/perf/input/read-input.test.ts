import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputDataSchema } from '../../../../main/contract/measured/input-data';
import { parseNpy } from '../../../../main/perf/input/parse-npy';
import { readInput, storeInput } from '../../../../main/perf/input/read-input';
import type { WantedTensors } from '../../../../main/perf/input/wanted-tensor';
import { rejection } from '../../../support/rejection';
import { zipBytes } from '../../../support/zip-bytes';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-input-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const fixture = (name: string) => join(process.cwd(), 'test', 'fixtures', 'npz', name);
const input = (name: string, datatype: WantedTensors['inputs'][number]['datatype'], shape: number[]) => ({
  name,
  datatype,
  shape,
});
const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const plain = { inputs: [input('X', 'FP32', [3, 2]), input('N', 'INT64', [-1])], outputs: [] };

/** An array as numpy.save writes it, as text of single bytes. */
function npy(header: string, data: Buffer, version = 1): string {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return `\x93NUMPY${String.fromCharCode(version, 0)}${length.toString('latin1')}${header}${data.toString('latin1')}`;
}
const floatArray = (shape: string, ...values: number[]) =>
  npy(`{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`, floats(...values));

async function npz(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(dir, `${name}.npz`);
  await writeFile(path, zipBytes(files));
  return path;
}

describe('an npz file', () => {
  it('of numpy has an entry for each item of the first axis', async () => {
    const { streams } = await readInput(fixture('plain.npz'), plain);
    expect(streams).toHaveLength(1);
    expect(streams[0]?.map((entry) => entry.get('X')?.data)).toEqual([
      floats(0, 1, 2, 3, 4, 5),
      floats(6, 7, 8, 9, 10, 11),
    ]);
    expect(streams[0]?.[1]?.get('N')?.data.readBigInt64LE(8)).toBe(2n ** 40n);
    expect(streams[0]?.[1]?.get('N')?.shape).toEqual([2]);
  });

  it('is unpacked, and brought into the order of bytes and rows that Triton takes', async () => {
    const bytes = await readFile(fixture('packed.npz'));
    expect(bytes.includes('NUMPY')).toBe(false);
    const wanted = {
      inputs: [
        input('X', 'FP32', [3, 2, 2]),
        input('T', 'BYTES', [2]),
        input('S', 'BYTES', [2]),
        input('H', 'FP16', [3]),
        input('B', 'BOOL', [2]),
      ],
      outputs: [],
    };
    const [[entry] = []] = (await readInput(fixture('packed.npz'), wanted)).streams;
    expect(entry?.get('X')?.data).toEqual(floats(...Array.from({ length: 12 }, (_unused, at) => at / 2)));
    expect(entry?.get('T')?.data.toString('latin1')).toBe('\x02\0\0\0ab\x02\0\0\0\xc3\xbc');
    expect(entry?.get('S')?.data.toString('latin1')).toBe('\x03\0\0\0x\0y\0\0\0\0');
    expect(entry?.get('H')?.data.toString('hex')).toBe('662eff7b0200');
    expect(entry?.get('B')?.data).toEqual(Buffer.from([1, 0]));
  });

  it('may have outputs to compare with', async () => {
    const path = await npz('outputs', {
      'X.npy': floatArray('(2, 1)', 1, 2),
      'Y.npy': floatArray('(2, 1)', 3, 4),
    });
    const wanted = { inputs: [input('X', 'FP32', [1])], outputs: [input('Y', 'FP32', [1])] };
    const { expected } = await readInput(path, wanted);
    expect(expected?.[0]?.map((entry) => entry.get('Y')?.data)).toEqual([floats(3), floats(4)]);
  });

  const one = { inputs: [input('X', 'FP32', [1])], outputs: [input('Y', 'FP32', [1])] };
  const x = floatArray('(2, 1)', 1, 2);
  it.each([
    ['an array that the model does not have', { 'X.npy': x, 'Z.npy': x }, /no tensor "Z"/],
    ['without an input', { 'Y.npy': x }, /no array "X": the model takes FP32 \[1\]/],
    [
      'of another type',
      { 'X.npy': x.replace('<f4', '<i4') },
      /type <i4 \(INT32\) where the model takes FP32 \[1\]/,
    ],
    ['of a type that Triton has not', { 'X.npy': x.replace('<f4', '<c4') }, /type <c4 where/],
    ['of another shape', { 'X.npy': floatArray('(1, 2)', 1, 2) }, /shape \[2\].*FP32 \[1\].*\[1, 2\]/],
    ['with no entry', { 'X.npy': floatArray('(0, 1)') }, /X has no entry/],
    ['cut off', { 'X.npy': x.slice(0, -1) }, /has 7 bytes where <f4 \(2, 1\) has 8/],
    ['cut off in the header', { 'X.npy': x.slice(0, 20) }, /cut off in its header/],
    ['that is no array', { 'X.npy': 'hello, world' }, /not an array of numpy.save/],
    ['of a later version', { 'X.npy': npy('{}', Buffer.alloc(0), 9) }, /version 9/],
    [
      'with a structured type',
      { 'X.npy': npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", floats(1)) },
      /structured/,
    ],
    [
      'with more outputs than inputs',
      { 'X.npy': floatArray('(1, 1)', 1), 'Y.npy': x },
      /2 entries where its inputs have 1/,
    ],
  ])('%s is refused', async (_fault, files, words) => {
    const path = await npz('bad', files);
    const error = await rejection(readInput(path, one));
    expect(error.code).toBe('input-invalid');
    expect(error.message).toMatch(words);
    expect(error.where).toContain(path);
  });

  it('with pickled objects is refused, not executed', async () => {
    const error = await rejection(readInput(fixture('objects.npz'), one));
    expect(error.message).toContain('Python objects');
  });

  it('that is damaged is refused', async () => {
    const path = join(dir, 'damaged.npz');
    await writeFile(path, (await readFile(fixture('plain.npz'))).subarray(0, 200));
    expect((await rejection(readInput(path, plain))).message).toContain('no ZIP archive');
  });

  it('that unpacks to more than it states is refused before it is unpacked whole', async () => {
    const path = join(dir, 'bomb.npz');
    const deflated = deflateRawSync(Buffer.alloc(64 * 2 ** 20));
    await writeFile(path, zipBytes({ 'X.npy': { deflated, bytes: 100 } }));
    const error = await rejection(readInput(path, one));
    expect(error).toMatchObject({ code: 'input-invalid', where: `${path}: X` });
    expect(error.message).toContain('unpacks to more than the 100 bytes');
  });

  it('has each array once, and those of the model only, before any is unpacked', async () => {
    const bomb = { deflated: deflateRawSync(Buffer.alloc(64 * 2 ** 20)), bytes: 64 * 2 ** 20 };
    const path = join(dir, 'twice.npz');
    await writeFile(path, zipBytes({ 'X.npy': bomb, X: bomb }));
    expect((await rejection(readInput(path, one))).message).toContain('"X" twice');
    await writeFile(path, zipBytes({ 'X.npy': bomb, 'Z.npy': x }));
    expect((await rejection(readInput(path, one))).message).toContain('no tensor "Z"');
  });

  it('that claims more than it has is refused before memory is asked for', () => {
    const header = npy(
      "{'descr': '<f8', 'fortran_order': True, 'shape': (9000000000, 9000000), }",
      floats(1),
    );
    expect(() => parseNpy(Buffer.from(header, 'latin1'))).toThrow(/has 4 bytes/);
  });
});

describe('a folder', () => {
  const wanted = {
    inputs: [input('X', 'FP32', [-1]), input('T', 'BYTES', [2])],
    outputs: [input('Y', 'FP32', [1])],
  };
  async function folder(files: Readonly<Record<string, Buffer | string>>): Promise<string> {
    const path = await mkdtemp(join(dir, 'folder-'));
    for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
    return path;
  }

  it('has raw values of one entry, and texts as lines', async () => {
    const path = await folder({ X: floats(1, 2), T: 'a\nbc\n', Y: floats(3) });
    const { streams, expected } = await readInput(path, wanted, { X: [2] });
    expect(streams[0]?.[0]?.get('X')).toEqual({ shape: [2], data: floats(1, 2) });
    expect(streams[0]?.[0]?.get('T')?.data).toEqual(Buffer.from('\x01\0\0\0a\x02\0\0\0bc'));
    expect(expected?.[0]?.[0]?.get('Y')?.data).toEqual(floats(3));
  });

  it.each([
    ['without a file', { T: 'a\nb' }, /file is missing: the model takes FP32 \[-1\]/],
    ['with a file too many', { X: floats(1, 2), T: 'a\nb', Q: 'q' }, /no tensor "Q"/],
    ['with too few bytes', { X: floats(1), T: 'a\nb' }, /X has 4 bytes where FP32 \[2\] has 8/],
    ['with too few lines', { X: floats(1, 2), T: 'a' }, /T has 1 elements where BYTES \[2\] has 2/],
  ])('%s is refused', async (_fault, files, words) => {
    const error = await rejection(readInput(await folder(files), wanted, { X: [2] }));
    expect(error.message).toMatch(words);
  });

  it('needs the shape of what varies', async () => {
    const error = await rejection(readInput(await folder({ X: floats(1), T: 'a\nb' }), wanted));
    expect(error.message).toContain('X needs a shape');
  });
});

describe('a path', () => {
  it('that leads nowhere is refused', async () => {
    const error = await rejection(readInput(join(dir, 'nothing.json'), plain));
    expect(error.message).toBe('The file or folder does not exist');
    expect(error.where).toContain('nothing.json');
  });

  it('to JSON is read as JSON, whatever its name', async () => {
    const path = join(dir, 'values.txt');
    await writeFile(path, JSON.stringify({ data: [{ X: [1] }] }));
    const { streams } = await readInput(path, { inputs: [input('X', 'FP32', [1])], outputs: [] });
    expect(streams[0]?.[0]?.get('X')?.data).toEqual(floats(1));
  });
});

describe('stored input', () => {
  it('has a file a tensor and entry, the shapes where they differ, and the streams', async () => {
    const entry = (...values: number[]) =>
      new Map([['X', { shape: [values.length], data: floats(...values) }]]);
    const output = new Map([['Y', { shape: [1], data: floats(9) }]]);
    const out = join(dir, 'stored');
    await mkdir(out);
    const data = await storeInput(
      { streams: [[entry(1), entry(2, 3)], [entry(4)]], expected: [[output, output], [output]] },
      { inputs: [input('X', 'FP32', [-1])], outputs: [input('Y', 'FP32', [1])] },
      out,
    );
    expect(inputDataSchema.parse(data)).toEqual({
      source: 'file',
      tensors: [
        {
          name: 'X',
          datatype: 'FP32',
          shape: [1],
          shapes: [[1], [2], [1]],
          files: ['in-0-000000.bin', 'in-0-000001.bin', 'in-0-000002.bin'],
        },
      ],
      streams: [2, 1],
      expected: [
        {
          name: 'Y',
          datatype: 'FP32',
          shape: [1],
          files: ['out-0-000000.bin', 'out-0-000001.bin', 'out-0-000002.bin'],
        },
      ],
    });
    expect(await readFile(join(out, 'in-0-000001.bin'))).toEqual(floats(2, 3));
  });
});
