import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReplay, replayKey, storeReplay } from '../../../../main/perf/replay/read-replay';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-replay-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function traceOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(dir, 'trace-')), 'trace.csv');
  await writeFile(file, text);
  return file;
}

const text = `timestamp,size,model,user
100,1,a,ann
101.5,4,b,bob
102,2,a,cid
110,8,b,dan
`;

describe('readReplay', () => {
  it('says what the part of a trace has, from its start', async () => {
    const file = await traceOf(text.replaceAll(/,[ab],/g, ',,'));
    const part = { file, fromS: 0, models: ['m'] };
    expect(await readReplay(part)).toMatchObject({
      of: replayKey(part),
      requests: 4,
      seconds: 10,
      largestBatchSize: 8,
      namesInputs: false,
      models: {},
    });
    expect(await readReplay({ ...part, fromS: 1, toS: 10 })).toMatchObject({ requests: 2, seconds: 1 });
  });

  it('takes the requests of the model that is measured, and all of a trace of one', async () => {
    const file = await traceOf(text);
    expect(await readReplay({ file, fromS: 0, models: ['a'] })).toMatchObject({ requests: 2, seconds: 2 });
    const one = await traceOf(text.replaceAll(',b,', ',a,'));
    expect(await readReplay({ file: one, fromS: 0, models: ['other'] })).toMatchObject({ requests: 4 });
    await expect(readReplay({ file, fromS: 0, models: ['c'] })).rejects.toMatchObject({
      message: 'The trace has no request for c',
      remedy: expect.stringContaining('a, b') as string,
    });
  });

  it('counts the requests of each of several models', async () => {
    const file = await traceOf(text);
    expect((await readReplay({ file, fromS: 0, models: ['a', 'b'] })).models).toEqual({ a: 2, b: 2 });
    const some = await traceOf('timestamp,model\n0,a\n1,b\n2,\n');
    await expect(readReplay({ file: some, fromS: 0, models: ['a', 'b'] })).rejects.toThrow(
      'do not name a model',
    );
  });

  it('keeps times, sizes and names, and nothing else', async () => {
    const file = await traceOf(text);
    const to = join(dir, 'kept.csv');
    const read = await storeReplay({ file, fromS: 0, models: ['a', 'b'], to });
    expect(await readFile(to, 'utf8')).toBe(
      'timestamp_us,size,model\n0,1,"a"\n1500000,4,"b"\n2000000,2,"a"\n10000000,8,"b"\n',
    );
    // What was kept is a trace of the same.
    expect(await readReplay({ file: to, fromS: 0, models: ['a', 'b'] })).toMatchObject({
      sha256: read.sha256,
    });
  });

  it.each([
    ['a part without requests', text, { fromS: 20 }, 'no request from 20 s to its end'],
    ['requests at one time', 'timestamp\n5\n5\n', {}, 'the same time'],
  ])('refuses %s', async (_what, content, part, message) => {
    await expect(
      readReplay({ file: await traceOf(content), fromS: 0, models: ['a'], ...part }),
    ).rejects.toMatchObject({
      code: 'input-invalid',
      message: expect.stringContaining(message) as string,
    });
  });

  it('refuses a file that is not there, and a folder', async () => {
    for (const file of [join(dir, 'none.csv'), dir])
      await expect(readReplay({ file, fromS: 0, models: ['a'] })).rejects.toMatchObject({
        code: 'input-invalid',
        message: expect.stringContaining('The trace cannot be read') as string,
      });
  });
});
