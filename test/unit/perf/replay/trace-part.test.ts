import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busiestPart, readKeptTrace, traceText } from '../../../../main/perf/replay/trace-part';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-part-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const at = (...seconds: readonly number[]) => seconds.map((one) => ({ atUs: one * 1e6 }));
const secondsOf = (rows: readonly { readonly atUs: number }[]) => rows.map(({ atUs }) => atUs / 1e6);

describe('the busiest part of a trace', () => {
  it('has the most requests in so much time, and counts from its first', () => {
    const rows = at(0, 4, 8, 10, 10.5, 11, 16, 20);
    expect(secondsOf(busiestPart(rows, 4e6))).toEqual([0, 2, 2.5, 3]);
  });

  it('is the first of those with as many', () => {
    expect(secondsOf(busiestPart(at(0, 1, 5, 6.5), 2e6))).toEqual([0, 1]);
  });

  it('is the whole trace where that is shorter', () => {
    expect(secondsOf(busiestPart(at(0, 1, 3), 60e6))).toEqual([0, 1, 3]);
  });

  it('has two times at least, so that it has a rate', () => {
    expect(secondsOf(busiestPart(at(0, 0, 0, 7, 9), 1))).toEqual([0, 0, 0, 7]);
    expect(secondsOf(busiestPart(at(0, 5, 5, 5), 1))).toEqual([0, 5, 5, 5]);
  });

  it('is read again from what is written of it, with what its requests name', async () => {
    const rows = [
      { atUs: 10, size: 2 },
      { atUs: 12, size: 4, entry: 1 },
      { atUs: 15, size: 1, inputClass: 'short, or "so"' },
    ];
    const file = join(dir, 'part.csv');
    await writeFile(file, traceText(busiestPart(rows, 1e6)));
    expect(await readKeptTrace(file)).toEqual(rows.map((row) => ({ ...row, atUs: row.atUs - 10 })));
  });

  it('is not read where it is gone', async () => {
    await expect(readKeptTrace(join(dir, 'gone.csv'))).rejects.toMatchObject({
      code: 'input-invalid',
    });
  });
});
