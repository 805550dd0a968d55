import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInput } from '../../../../main/perf/input/read-input';
import type { InputEntry, WantedTensors } from '../../../../main/perf/input/wanted-tensor';
import { encodeTexts } from '../../../../main/triton/encode-values';
import { rejection } from '../../../support/rejection';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-texts-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const tensor = (name: string, datatype: 'BYTES' | 'FP32' | 'BOOL', shape: number[], optional = false) => ({
  ...{ name, datatype, shape, optional },
});
const text: WantedTensors = { inputs: [tensor('TEXT', 'BYTES', [-1])], outputs: [] };
const table: WantedTensors = {
  inputs: [tensor('TEXT', 'BYTES', [1]), tensor('AGE', 'FP32', [1]), tensor('NEW', 'BOOL', [1], true)],
  outputs: [tensor('LABEL', 'BYTES', [1])],
};
async function file(name: string, content: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}
const sent = (entries: readonly InputEntry[] | undefined) =>
  entries?.map((entry) => Object.fromEntries([...entry].map(([name, { data }]) => [name, data])));
const floats = (value: number) => Buffer.from(Float32Array.of(value).buffer);

describe('a file of lines', () => {
  it('has one text per line, also an empty one', async () => {
    const { streams, expected } = await readInput(
      await file('a.txt', '\uFEFFgrün\r\n\n# no comment \n'),
      text,
    );
    expect(expected).toBeNull();
    expect(sent(streams[0])).toEqual(
      ['grün', '', '# no comment '].map((line) => ({ TEXT: encodeTexts([line]) })),
    );
    expect(streams[0]?.[0]?.get('TEXT')?.shape).toEqual([1]);
  });

  it('is refused where the model takes more than a text, and without a line', async () => {
    expect((await rejection(readInput(await file('b.txt', 'x\n'), table))).message).toContain(
      'A file of lines has values for one text per sample. The model takes TEXT, BYTES [1], AGE, FP32 [1]',
    );
    expect((await rejection(readInput(await file('c.txt', ''), text))).message).toBe('It has no lines');
  });
});

describe('a table', () => {
  it('has a column per input, and of outputs what is expected', async () => {
    const path = await file('a.csv', 'id,AGE,TEXT,LABEL\r\n7,41,"a ""b"", c\nd",cat\n8, 1e1 ,#x,dog');
    const { streams, expected } = await readInput(path, table);
    expect(sent(streams[0])).toEqual([
      { TEXT: encodeTexts(['a "b", c\nd']), AGE: floats(41) },
      { TEXT: encodeTexts(['#x']), AGE: floats(10) },
    ]);
    expect(sent(expected?.[0])).toEqual([{ LABEL: encodeTexts(['cat']) }, { LABEL: encodeTexts(['dog']) }]);
  });

  it('may be separated by tabs, and has truth values and optional inputs', async () => {
    const { streams } = await readInput(await file('a.tsv', 'TEXT\tAGE\tNEW\na, b\t1\tTrue\n'), table);
    expect(sent(streams[0])).toEqual([{ TEXT: encodeTexts(['a, b']), AGE: floats(1), NEW: Buffer.of(1) }]);
  });

  it.each([
    ['text,AGE\nx,1', 'It has no column "TEXT"'],
    ['TEXT,AGE\n', 'It has no rows below the header'],
    ['TEXT,AGE\nx,old', 'AGE is FP32: "old" is not a number'],
    ['TEXT,AGE\nx,', 'AGE is FP32: "" is not a number'],
    ['TEXT,AGE\nx', 'It has 1 fields where the header has 2'],
    ['TEXT,AGE\n"x,1', 'a quote in the middle of a field'],
    ['TEXT,AGE,NEW\nx,1,maybe', 'NEW is BOOL'],
  ])('%j is refused', async (content, message) => {
    expect((await rejection(readInput(await file('bad.csv', content), table))).message).toContain(message);
  });

  it('has one value per cell', async () => {
    const wide = { inputs: [tensor('X', 'FP32', [2])], outputs: [] };
    const found = await rejection(readInput(await file('wide.csv', 'X\n1'), wide));
    expect(found.message).toBe('A cell has one value, and X is FP32 [2]');
  });
});

describe('a folder of files', () => {
  it('has one sample per file, as its bytes', async () => {
    const folder = join(dir, 'images');
    await mkdir(folder);
    await writeFile(join(folder, 'b.jpg'), Buffer.of(0xff, 0xd8));
    await writeFile(join(folder, 'a.png'), Buffer.of(0x89, 0));
    await writeFile(join(folder, '.DS_Store'), 'no sample');
    const { streams } = await readInput(folder, text);
    expect(sent(streams[0])).toEqual(
      [Buffer.of(0x89, 0), Buffer.of(0xff, 0xd8)].map((bytes) => ({ TEXT: encodeTexts([bytes]) })),
    );
    // For another model it is a folder of raw tensors.
    expect((await rejection(readInput(folder, table))).message).toContain('The model has no tensor');
  });

  it('with a file that is named after the input is one of raw tensors', async () => {
    const folder = join(dir, 'raw');
    await mkdir(folder);
    await writeFile(join(folder, 'TEXT'), 'one\n');
    const one: WantedTensors = { inputs: [tensor('TEXT', 'BYTES', [1])], outputs: [] };
    expect(sent((await readInput(folder, one)).streams[0])).toEqual([{ TEXT: encodeTexts(['one']) }]);
  });
});
