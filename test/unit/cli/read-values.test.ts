import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readIds, readIntervals, readRange } from '../../../main/cli/read-values';

describe('a range', () => {
  it.each([
    ['4', [4]],
    ['1,4,16', [1, 4, 16]],
    ['1:4', [1, 2, 3, 4]],
    ['1:9:4', [1, 5, 9]],
    ['1:10:4', [1, 5, 9]],
    ['0.1:0.3:0.1', [0.1, 0.2, 0.3]],
  ])('%s', (text, values) => {
    const read = readRange('--concurrency', text);
    expect(read).toHaveLength(values.length);
    for (const [at, value] of values.entries()) expect(read[at]).toBeCloseTo(value, 12);
  });

  it.each(['4:1', '1:4:0', '1:4:-1', '1:2:3:4', '1:1000000000'])('is not %s', (text) => {
    expect(() => readRange('--concurrency', text)).toThrow(
      expect.objectContaining({ code: 'input-invalid', where: '--concurrency' }),
    );
  });
});

describe('a range of correlation IDs', () => {
  it('has a first one, and may have a limit', () => {
    expect(readIds('--ids', '7')).toEqual({ firstId: 7 });
    expect(readIds('--ids', '1:1000')).toEqual({ firstId: 1, endId: 1000 });
  });

  it.each(['5:5', '9:1', '1:2:3', '1:'])('is not %s', (text) => {
    expect(() => readIds('--ids', text)).toThrow(expect.objectContaining({ where: '--ids' }));
  });
});

describe('a file of intervals', () => {
  const flag = '--request-intervals';
  const refused = { code: 'input-invalid', where: flag };
  let dir: string;
  let file: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'intervals-'));
    file = join(dir, 'intervals.txt');
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('has one per line', async () => {
    await writeFile(file, '1000\n3000\n');
    expect(await readIntervals(flag, file)).toEqual([1000, 3000]);
  });

  it.each(['', '1000\n0\n', '1000\n-5\n', '1000\nsoon\n'])('is refused with %j', async (text) => {
    await writeFile(file, text);
    await expect(readIntervals(flag, file)).rejects.toMatchObject(refused);
  });

  it('is refused by its size before it is read, where it is a device, and where there is none', async () => {
    await writeFile(file, '');
    await truncate(file, 3 * 2 ** 30);
    await expect(readIntervals(flag, file)).rejects.toMatchObject(refused);
    await expect(readIntervals(flag, '/dev/zero')).rejects.toMatchObject(refused);
    await expect(readIntervals(flag, join(dir, 'none.txt'))).rejects.toMatchObject(refused);
  });
});
