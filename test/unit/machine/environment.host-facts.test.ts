import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHostFacts } from '../../../main/machine/environment';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-host-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Size of the file system as coreutils tell it. */
function sizeByDf(path: string): number {
  const [, line] = execFileSync('df', ['-B1', '--output=size', path], { encoding: 'utf8' }).split('\n');
  return Number(line);
}

describe('host facts', () => {
  it('tells the disk of each path, there or not yet', async () => {
    await symlink('/dev/shm', join(folder, 'elsewhere'));
    const paths = ['/', folder, join(folder, 'not/yet'), join(folder, 'elsewhere/not/yet')];
    const { disks } = await readHostFacts(paths);
    expect(disks.map(({ path, totalBytes }) => [path, totalBytes])).toEqual([
      ['/', sizeByDf('/')],
      [folder, sizeByDf(folder)],
      [paths[2], sizeByDf(folder)],
      [paths[3], sizeByDf('/dev/shm')],
    ]);
    for (const { totalBytes, freeBytes } of disks) {
      expect(freeBytes).toBeGreaterThanOrEqual(0);
      expect(freeBytes).toBeLessThanOrEqual(totalBytes);
    }
  });

  it('tells shared memory, free memory and load', async () => {
    const facts = await readHostFacts([]);
    expect(facts.disks).toEqual([]);
    expect(facts.sharedMemoryBytes).toBe(sizeByDf('/dev/shm'));
    expect(facts.memoryFreeBytes).toBeGreaterThan(0);
    expect(facts.memoryFreeBytes).toBeLessThan(os.totalmem());
    expect(facts.loadAverage).toBeGreaterThanOrEqual(0);
  });
});
