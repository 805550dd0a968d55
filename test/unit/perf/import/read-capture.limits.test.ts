import { mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileLimits } from '../../../../main/contract/reader-limits';
import { readCapture } from '../../../../main/perf/import/read-capture';
import { rejection } from '../../../support/rejection';

const { captureCsv, profileExport, json } = fileLimits;
const header = 'Concurrency,Inferences/Second,p50 latency,p90 latency,p95 latency,p99 latency';
const rows = (count: number) =>
  Array.from({ length: count }, (_unused, index) => `${index + 1},1000,1,1,1,1`).join('\n');
const columns = (count: number) => Array.from({ length: count }, (_unused, index) => `c${index}`).join(',');

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'capture-limits-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function put(name: string, text: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

describe('a file of perf_analyzer at its limits', () => {
  it('is read with as many levels as are permitted, and refused with one more', async () => {
    const [most] = await readCapture({
      path: await put('most.csv', `${header}\n${rows(captureCsv.levels)}`),
    });
    expect(most?.points).toHaveLength(captureCsv.levels);
    const more = await put('more.csv', `${header}\n${rows(captureCsv.levels + 1)}`);
    expect(await rejection(readCapture({ path: more }))).toMatchObject({
      code: 'input-invalid',
      message: `There are more than ${captureCsv.levels} levels`,
      where: `more.csv, line ${captureCsv.levels + 2}`,
    });
  });

  it('is refused where its first line has hundreds of thousands of columns', async () => {
    const path = await put('wide.csv', `${header},${columns(400_000)}\n${rows(1)}`);
    expect((await rejection(readCapture({ path }))).message).toBe(
      `There are more than ${captureCsv.columns} columns`,
    );
  });

  it('is refused by its size before it is read', async () => {
    const path = join(dir, 'large.json');
    const file = await open(path, 'w');
    await file.truncate(100 * 2 ** 30);
    await file.close();
    const { message, remedy } = await rejection(readCapture({ path }));
    expect(message).toContain(`${100 * 2 ** 30} bytes, at most ${profileExport.bytes} are read`);
    expect(remedy).toContain('CSV');
    const csv = await put('large.csv', `${header}\n${'#'.repeat(captureCsv.bytes)}`);
    expect((await rejection(readCapture({ path: csv }))).message).toContain(`at most ${captureCsv.bytes}`);
  });

  it('is read through a link, and a folder or device is not', async () => {
    const link = join(dir, 'link.csv');
    await symlink(await put('linked.csv', `${header}\n${rows(1)}`), link);
    expect((await readCapture({ path: link }))[0]?.points).toHaveLength(1);
    for (const path of [dir, '/dev/zero']) {
      expect((await rejection(readCapture({ path }))).message).toContain('it is not a regular file');
    }
  });

  it('is refused where it holds millions of objects, of whatever kind', async () => {
    for (const piece of ['{}', '[]']) {
      const path = await put('junk.json', `{"x":[${`${piece},`.repeat(json.objects)}1],"experiments":[]}`);
      expect((await rejection(readCapture({ path }))).message).toContain(
        `more than ${json.objects} objects and lists`,
      );
    }
  });

  it('is refused where each of a million fields is wrong, with the first of them', async () => {
    const wrong = `{"experiment":{"mode":"concurrency","value":1},"requests":[${'1,'.repeat(1_000_000)}1]}`;
    const path = await put('wrong.json', `{"experiments":[${wrong}]}`);
    expect(await rejection(readCapture({ path }))).toMatchObject({
      message: 'Not written by perf_analyzer: expected an object',
      where: 'wrong.json, experiments[0].requests[0]',
    });
  });

  it('is refused with more windows than any measurement has', async () => {
    const bounds = Array.from({ length: profileExport.windows + 1 }, (_unused, index) => index).join(',');
    const request = '{"timestamp":1,"response_timestamps":[2]}';
    const one = `{"experiment":{"mode":"concurrency","value":1},"requests":[${request}],"window_boundaries":[${bounds}]}`;
    const path = await put('windows.json', `{"experiments":[${one}]}`);
    expect((await rejection(readCapture({ path }))).message).toContain(
      `more than ${profileExport.windows} windows`,
    );
  });
});
