import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homeLayout } from '../../main/platform/layout';
import { cli } from '../support/cli';

let home: string;
let cache: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-compiled-'));
  cache = homeLayout(home).cache;
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Paths of the files. */
const kept = async (): Promise<readonly string[]> =>
  (await readdir(cache, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const fields = () => cli(home, 'fields', 'performance', '--json');

describe('what V8 compiled of the command line', () => {
  it('is kept in the cache of the home, and a damaged file of it is made anew', async () => {
    await mkdir(cache, { mode: 0o700 });
    const first = await fields();
    const names = await kept();
    expect(names.length).toBeGreaterThan(0);
    expect(await fields()).toEqual(first);
    expect(await kept()).toEqual(names);
    for (const name of names) await writeFile(name, 'damaged');
    expect(await fields()).toEqual(first);
    expect(await fields()).toEqual(first);
  });

  it('is not kept where there is no cache yet, nor where others may write to it', async () => {
    await fields();
    expect(await kept()).toEqual([]);
    await mkdir(cache);
    await chmod(cache, 0o777);
    await fields();
    expect(await kept()).toEqual([]);
  });

  it('is not loaded for the version', async () => {
    await mkdir(cache, { mode: 0o700 });
    expect((await cli(home, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    expect(await kept()).toEqual([]);
  });
});
