import { link, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readStorage } from '../../../main/home/storage';

it('counts a file with several names once, and uv among the tools', async () => {
  const home = await mkdtemp(join(tmpdir(), 'twb-storage-'));
  try {
    for (const name of ['runs', 'cache', 'uv']) await mkdir(join(home, name));
    await writeFile(join(home, 'runs', 'model'), 'x'.repeat(1000));
    await link(join(home, 'runs', 'model'), join(home, 'cache', 'model'));
    await writeFile(join(home, 'runs', 'journal'), 'x'.repeat(10));
    await writeFile(join(home, 'uv', 'uv'), 'x'.repeat(300));
    const { parts } = await readStorage({ home }, null);
    expect(parts).toEqual([
      { id: 'cache', bytes: 1000 },
      { id: 'tools', bytes: 300 },
      { id: 'runs', bytes: 10 },
    ]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
