import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownPlace, processStartTime } from '../../../main/platform/process';
import { acquireLease, foreignLeaseMs, leaseHolder } from '../../../main/store/file-lease';

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

describe('a holder that cannot be looked up', () => {
  const lease = () => join(dir, 'lease.json');
  // Of a process that has this id here and is another one there: looked up, it would be dead.
  const holder = { pid: process.pid, startTime: '1' };
  const places = {
    'on another machine': { host: 'other', bootId: 'other-boot', pidNamespace: ownPlace().pidNamespace },
    'in another PID namespace': { ...ownPlace(), host: 'container', pidNamespace: '4026539999' },
    'of another boot': { ...ownPlace(), bootId: 'other-boot' },
  };
  const leave = async (place: object, ageMs: number) => {
    await writeFile(lease(), JSON.stringify({ ...holder, place }));
    const then = new Date(Date.now() - ageMs);
    await utimes(lease(), then, then);
  };

  it.each(Object.entries(places))('%s keeps the run while its sign of life is fresh', async (_, place) => {
    await leave(place, 0);
    expect(await leaseHolder(dir)).toEqual({ ...holder, host: place.host });
    await expect(acquireLease(dir)).rejects.toMatchObject({
      code: 'run-busy',
      message: `Process ${holder.pid} on ${place.host} is working on this run`,
    });
  });

  it.each(Object.entries(places))('%s loses the run once its sign of life is old', async (_, place) => {
    await leave(place, foreignLeaseMs + 1000);
    expect(await leaseHolder(dir)).toBeNull();
    await (
      await acquireLease(dir)
    )();
  });

  it('does not count one of the same place as alive, however fresh its sign of life', async () => {
    await leave(ownPlace(), 0);
    expect(await leaseHolder(dir)).toBeNull();
  });

  it('leaves its own place in the lease, and another one there at the release', async () => {
    const release = await acquireLease(dir);
    expect(JSON.parse(await readFile(lease(), 'utf8'))).toMatchObject({
      pid: process.pid,
      place: ownPlace(),
    });
    await leave(places['on another machine'], 0);
    await release();
    expect(await readdir(dir)).toEqual(['lease.json']);
  });
});

it('is held by nobody where the lease is a folder, and is not taken either', async () => {
  await mkdir(join(dir, 'lease.json'));
  expect(await leaseHolder(dir)).toBeNull();
  await expect(acquireLease(dir)).rejects.toMatchObject({ code: 'file-unwritable' });
});
