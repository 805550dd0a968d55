import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepReplay, peakRate, readArrivals, replayedOf } from '../../../../main/perf/replay/arrivals';
import { readReplay, storeReplay } from '../../../../main/perf/replay/read-replay';

let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-arrivals-'));
  file = join(dir, 'trace.csv');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const tensor = { name: 'IN', datatype: 'FP32', shape: [1], files: ['0', '1', '2', '3'] } as const;
const data = { tensors: [{ ...tensor, shape: [1], files: [...tensor.files] }] };

async function kept(text: string): Promise<string> {
  await writeFile(file, text);
  const to = join(dir, 'kept.csv');
  await storeReplay({ file, fromS: 0, models: ['m'], to });
  return to;
}

describe('readArrivals', () => {
  const sent = { modelName: 'm', speed: 2, batchSize: 3, inputData: data };

  it('divides the times by the speed, and gives the usual size where a row has none', async () => {
    const arrivals = await readArrivals(await kept('timestamp,size\n0,\n1,4\n3,\n'), sent);
    expect([...arrivals.atUs]).toEqual([0, 500_000, 1_500_000]);
    expect([...arrivals.sizes]).toEqual([3, 4, 3]);
    expect([...arrivals.firsts]).toEqual([-1, -1, -1]);
  });

  it('takes the entry that a row names, and those of a class in turn', async () => {
    const to = await kept('timestamp,entry,class\n0,2,\n1,,b\n2,,b\n3,,b\n4,,\n');
    const inputData = { ...data, classes: ['a', 'b', '', 'b'] };
    expect([...(await readArrivals(to, { ...sent, inputData })).firsts]).toEqual([2, 1, 3, 1, -1]);
    await expect(readArrivals(to, sent)).rejects.toThrow('the class "b", which no entry');
    const far = await kept('timestamp,entry\n0,4\n1,0\n');
    await expect(readArrivals(far, sent)).rejects.toThrow(
      'entry 4, but the input data has 4 entries, counted from 0',
    );
  });
});

describe('keepReplay', () => {
  it('uses what is kept, also without the trace, and refuses another one', async () => {
    await writeFile(file, 'timestamp\n0\n1\n');
    const part = { file, fromS: 0, models: ['m'] };
    const read = await readReplay(part);
    const to = join(dir, 'own.csv');
    const readers = { replayStore: storeReplay };
    await keepReplay(readers, { ...part, read }, to);
    await rm(file);
    await keepReplay(readers, { ...part, read }, to);
    expect(await readFile(to, 'utf8')).toBe('timestamp_us\n0\n1000000\n');
    await rm(to);
    await writeFile(file, 'timestamp\n0\n2\n');
    await expect(keepReplay(readers, { ...part, read }, to)).rejects.toThrow('has changed since');
  });
});

it('finds the most requests within one second', () => {
  expect(peakRate(Float64Array.from([0, 600_000, 1_200_000, 1_500_000, 3e6]))).toBe(3);
  expect(peakRate(Float64Array.from([0, 1e6]))).toBe(1);
});

it('says what was sent', () => {
  const arrivals = {
    atUs: Float64Array.from([0, 5e5, 2e6]),
    sizes: Int32Array.from([1, 2, 6]),
    firsts: new Int32Array(3),
  };
  expect(replayedOf(arrivals, { speed: 2, fromS: 1, toS: 9 })).toEqual({
    ...{ requests: 3, seconds: 2, peakRate: 2, speed: 2, fromS: 1, toS: 9 },
    ...{ meanBatchSize: 3, largestBatchSize: 6 },
  });
});
