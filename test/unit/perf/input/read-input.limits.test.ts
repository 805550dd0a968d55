import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFixedBytes, encodeFixedLetters, rowsOf } from '../../../../main/perf/input/parse-npy';
import { readInput } from '../../../../main/perf/input/read-input';
import type { WantedTensors } from '../../../../main/perf/input/wanted-tensor';
import { encodeValues } from '../../../../main/triton/encode-values';
import { rejection } from '../../../support/rejection';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'input-limits-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const taken = (datatype: WantedTensors['inputs'][number]['datatype'], shape: number[]): WantedTensors => ({
  inputs: [{ name: 'X', datatype, shape }],
  outputs: [],
});

describe('a JSON file of input data', () => {
  const refusal = async (text: string, shape: number[] = [1]) => {
    const path = join(dir, 'in.json');
    await writeFile(path, text);
    return rejection(readInput(path, taken('FP32', shape)));
  };

  it('is refused where its lists are nested deeper than any shape', async () => {
    const depth = 500_000;
    const { code, message } = await refusal(`{"data":[{"X":${'['.repeat(depth)}1${']'.repeat(depth)}}]}`);
    expect(code).toBe('input-invalid');
    expect(message).toContain('nested more than 64 deep');
  });

  it('is refused at once where millions of blanks of its base64 end in another letter', async () => {
    const { message } = await refusal(`{"data":[{"X":{"b64":"AAAA${' '.repeat(2_000_000)}!"}}]}`);
    expect(message).toContain('not base64');
  });

  it('is quoted in short, whatever it holds', async () => {
    const long = 'x'.repeat(100_000);
    for (const text of [
      `{"data":[{"${long}":[1]}]}`,
      `{"data":[{"X":"${long}"}]}`,
      `{"data":[{"X":["${long}"]}]}`,
      `{"data":[{"X":{"content":[1],"shape":"${long}"}}]}`,
      `{"data":[{"X":{"content":[1],"shape":[${'1,'.repeat(50_000)}1]}}]}`,
      `{"data":[{"X":[${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}]}]}`,
    ]) {
      const { code, message } = await refusal(text);
      expect(code).toBe('input-invalid');
      expect(message.length).toBeLessThan(300);
    }
  });

  it('gives 64-bit numbers exactly, also negative ones', () => {
    const values = [0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 32 - 1, -(2 ** 31) - 1, 2 ** 53 - 1, 1 - 2 ** 53];
    const data = encodeValues('INT64', values);
    expect(values.map((_value, index) => Number(data.readBigInt64LE(8 * index)))).toEqual(values);
  });
});

describe('a folder of input data', () => {
  const folder = async (name: string, make: (path: string) => unknown) => {
    const path = join(dir, name);
    await mkdir(path);
    await make(join(path, 'X'));
    return path;
  };

  it('gives each line as an element, byte for byte', async () => {
    for (const [index, text] of ['a\n\xff\n', 'a\n\xff'].entries()) {
      const path = await folder(`lines-${index}`, (file) => writeFile(file, Buffer.from(text, 'latin1')));
      const { streams } = await readInput(path, taken('BYTES', [2]));
      expect(streams[0]?.[0]?.get('X')?.data).toEqual(Buffer.from('\x01\0\0\0a\x01\0\0\0\xff', 'latin1'));
    }
  });

  it('is refused where it has other than as many lines as the shape', async () => {
    const path = await folder('more-lines', (file) => writeFile(file, 'a\nb\nc\n'));
    const { message } = await rejection(readInput(path, taken('BYTES', [2])));
    expect(message).toBe('X has 3 elements where BYTES [2] has 2');
  });

  it('neither waits for a pipe nor reads a folder', async () => {
    const pipe = await folder('pipe', (file) => execFileSync('mkfifo', [file]));
    const below = await folder('below', (file) => mkdir(file));
    for (const path of [pipe, below]) {
      expect(await rejection(readInput(path, taken('FP32', [1])))).toMatchObject({
        code: 'input-invalid',
        message: 'The file cannot be read: it is not a regular file',
        where: join(path, 'X'),
      });
    }
  });
});

describe('an array of numpy', () => {
  it.each([1, 2, 3, 4, 8, 16])('of columns with items of %i bytes comes row by row', (itemBytes) => {
    const shape = [2, 3, 4];
    const count = 24;
    const rows = Buffer.alloc(count * itemBytes);
    const columns = Buffer.alloc(count * itemBytes);
    for (let index = 0; index < count; index += 1) {
      const [a, b, c] = [Math.floor(index / 12), Math.floor(index / 4) % 3, index % 4];
      rows.fill(index + 1, index * itemBytes, (index + 1) * itemBytes);
      const at = a + 2 * b + 6 * c;
      columns.fill(index + 1, at * itemBytes, (at + 1) * itemBytes);
    }
    // Bytes of a file stand anywhere.
    const unaligned = Buffer.concat([Buffer.alloc(1), columns]).subarray(1);
    expect(rowsOf(unaligned, shape, itemBytes)).toEqual(rows);
  });

  it('gives texts without what fills them up, letters as UTF-8', () => {
    const texts = ['', 'a', 'aé', '€', '😀b', '\u{10ffff}'];
    const letters = texts.map((text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
    const fixed = Buffer.alloc(texts.length * 8);
    for (const [index, codes] of letters.entries())
      for (const [at, code] of codes.entries()) fixed.writeUInt32LE(code, index * 8 + at * 4);
    const expected = Buffer.concat(
      texts.map((text) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(Buffer.byteLength(text));
        return Buffer.concat([length, Buffer.from(text)]);
      }),
    );
    expect(encodeFixedLetters(fixed, 8)).toEqual(expected);
    expect(encodeFixedBytes(Buffer.from('ab\0\0a\0b\0'), 4)).toEqual(
      Buffer.from('\x02\0\0\0ab\x03\0\0\0a\0b'),
    );
    const half = Buffer.alloc(4);
    half.writeUInt32LE(0xd800);
    expect(encodeFixedLetters(half, 4).toString('utf8', 4)).toBe('\ufffd');
    half.writeUInt32LE(0x110000);
    expect(() => encodeFixedLetters(half, 4)).toThrow('which is not a character');
  });
});
