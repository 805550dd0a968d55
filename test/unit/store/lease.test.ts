import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processStartTime } from '../../../main/platform/process-identity';
import { acquireLease, leaseHolder } from '../../../main/store/lease';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lease-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

it('lets one hold the run until the release', async () => {
  const release = await acquireLease(dir);
  expect(await leaseHolder(dir)).toEqual({ pid: process.pid, startTime: processStartTime(process.pid) });
  await expect(acquireLease(dir)).rejects.toMatchObject({ code: 'run-busy' });
  await release();
  expect(await leaseHolder(dir)).toBeNull();
  await (
    await acquireLease(dir)
  )();
});

it('takes over from a process that was killed', async () => {
  const child = spawn('sleep', ['60']);
  const pid = child.pid ?? 0;
  await writeFile(join(dir, 'lease.json'), JSON.stringify({ pid, startTime: processStartTime(pid) }));
  await expect(acquireLease(dir)).rejects.toMatchObject({ code: 'run-busy' });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  await (
    await acquireLease(dir)
  )();
});

it('does not take another process with the same id for the holder', async () => {
  await writeFile(join(dir, 'lease.json'), JSON.stringify({ pid: process.pid, startTime: '1' }));
  await (
    await acquireLease(dir)
  )();
});

const dead = JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' });

it('lets exactly one of many win a dead lease', async () => {
  for (let round = 0; round < 20; round += 1) {
    await writeFile(join(dir, 'lease.json'), dead);
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLease(dir)));
    expect(tries.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(dir)).toEqual(['lease.json']);
  }
});

it('takes over where a process was killed while it did so', async () => {
  await writeFile(join(dir, 'lease.json'), dead);
  await writeFile(join(dir, 'lease.json.turn'), dead);
  const release = await acquireLease(dir);
  await expect(acquireLease(dir)).rejects.toMatchObject({ code: 'run-busy' });
  await release();
  expect(await readdir(dir)).toEqual([]);
});
