import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedName, sweepSharedFiles } from '../../../../../main/perf/native/requests/shared-names';
import { bundleChild, startChild } from '../../../../support/child-program';
import { until } from '../../../../support/until';

let dir: string;
let program: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-shared-names-'));
  program = await bundleChild('share-memory', join(dir, 'program'));
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

describe('the files of shared memory', () => {
  it('go when their owner was killed, and no others', async () => {
    const folder = await mkdtemp(join(dir, 'shm-'));
    const dead = startChild(program, [folder]);
    const living = startChild(program, [folder]);
    try {
      await until('both have made their files', () => dead.lines.length + living.lines.length === 4);
      const own = `${sharedName()}-in`;
      const deadName = dead.lines[0] ?? '';
      const others = [
        own,
        'psm_4c1e2f0a',
        'triton_python_backend_shm_region_1',
        // Of a dead owner, but not of the workbench's form.
        deadName.replace('triton-workbench', 'triton-server'),
        `${deadName}-copy`,
        // Another namespace's ids say nothing here.
        deadName.replace(/-(\d+)-([\da-f]{12})-/, '-1-$2-'),
      ];
      for (const name of others) await writeFile(join(folder, name), '');
      expect(await sweepSharedFiles(folder)).toEqual([]);
      await dead.kill();
      const removed = await sweepSharedFiles(folder);
      expect([...removed].sort()).toEqual([...dead.lines].sort());
      expect((await readdir(folder)).sort()).toEqual([...others, ...living.lines].sort());
    } finally {
      await dead.kill();
      await living.kill();
    }
  });

  it('go when the id of their owner belongs to another process now', async () => {
    const folder = await mkdtemp(join(dir, 'shm-'));
    const name = `${sharedName()}-out`;
    const older = name.replace(/^(triton-workbench-\d+)-\d+-/, '$1-1-');
    for (const one of [name, older]) await writeFile(join(folder, one), '');
    expect(await sweepSharedFiles(folder)).toEqual([older]);
    expect(await readdir(folder)).toEqual([name]);
  });

  it('are none where there is no folder', async () => {
    expect(await sweepSharedFiles(join(dir, 'missing'))).toEqual([]);
  });
});
