import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLevels, readRange } from '../../../main/cli/perf-levels';

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

describe('a file of intervals', () => {
  let dir: string;
  let file: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'intervals-'));
    file = join(dir, 'intervals.txt');
  });
  afterEach(() => rm(dir, { recursive: true }));
  const read = () => readLevels({ batchSizes: '1,2', requestIntervals: file });

  it('is a level at their mean rate, of each batch size', async () => {
    await writeFile(file, '1000\n3000\n');
    const { levels, intervalsUs } = await read();
    expect(intervalsUs).toEqual([1000, 3000]);
    expect(levels).toMatchObject([
      { batchSize: 1, requestRate: 500 },
      { batchSize: 2, requestRate: 500 },
    ]);
  });

  it.each(['', '1000\n0\n', '1000\n-5\n', '1000\nsoon\n'])('is refused with %j', async (text) => {
    await writeFile(file, text);
    await expect(read()).rejects.toMatchObject({ code: 'input-invalid', where: '--request-intervals' });
  });

  it('is refused by its size before it is read, and where it is a device', async () => {
    const refused = { code: 'input-invalid', where: '--request-intervals' };
    await writeFile(file, '');
    await truncate(file, 3 * 2 ** 30);
    await expect(read()).rejects.toMatchObject(refused);
    await expect(readLevels({ batchSizes: '1', requestIntervals: '/dev/zero' })).rejects.toMatchObject(
      refused,
    );
  });

  it('is refused where it is not there, or where a rate is asked for as well', async () => {
    await expect(read()).rejects.toMatchObject({ code: 'input-invalid', where: '--request-intervals' });
    await writeFile(file, '1000\n');
    await expect(
      readLevels({ batchSizes: '1', requestIntervals: file, requestRate: '5' }),
    ).rejects.toMatchObject({ code: 'input-invalid', where: '--request-intervals' });
  });
});
