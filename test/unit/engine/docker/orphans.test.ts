import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DeploymentStore } from '../../../../main/deployments/deployment-store';
import { adoptionMs, isOrphan } from '../../../../main/engine/docker/orphans';
import { ownIdentity, ownPlace } from '../../../../main/platform/process';

const lastSign = Date.parse('2026-01-01T12:00:00.000Z');
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-orphans-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Only the run folder decides. */
const container = () => ({ runDir: dir });

async function leaveLease(holder: object): Promise<void> {
  const path = join(dir, 'lease.json');
  await writeFile(path, JSON.stringify(holder));
  await utimes(path, new Date(lastSign), new Date(lastSign));
}
/** This process's id with another start time: whoever had it is dead. */
const dead = () => ({ ...ownIdentity(), startTime: '0' });

it('a run that somebody works on has no orphans, however long ago its last sign of life', async () => {
  await leaveLease(ownIdentity());
  expect(await isOrphan(container(), 0, lastSign + 10 * adoptionMs)).toBe(false);
});

it('what a dead workbench left waits for half an hour', async () => {
  await leaveLease(dead());
  expect(adoptionMs).toBe(1_800_000);
  expect(await isOrphan(container(), adoptionMs, lastSign + adoptionMs)).toBe(false);
  expect(await isOrphan(container(), adoptionMs, lastSign + adoptionMs + 1)).toBe(true);
});

it('does not wait where everything is to go', async () => {
  await leaveLease(dead());
  expect(await isOrphan(container(), 0, lastSign + 1)).toBe(true);
});

it('a run without a lease was ended or its folder is gone: nobody takes anything up', async () => {
  expect(await isOrphan(container(), adoptionMs, lastSign)).toBe(true);
  await rm(dir, { recursive: true });
  expect(await isOrphan(container(), adoptionMs, lastSign)).toBe(true);
});

it('what sends the files of a deployment is left in peace while the deployment is being changed', async () => {
  const helper = { runDir: join(dir, 'resnet50') };
  await new DeploymentStore(dir).hold('resnet50', async () => {
    expect(await isOrphan(helper, 0, lastSign)).toBe(false);
  });
  expect(await isOrphan(helper, 0, lastSign)).toBe(true);
});

it('a lease that cannot be read names nobody', async () => {
  await leaveLease({ pid: 'x' });
  expect(await isOrphan(container(), adoptionMs, lastSign + adoptionMs + 1)).toBe(true);
});

it.each([
  { host: 'other', bootId: 'other', pidNamespace: '1' },
  { ...ownPlace(), pidNamespace: '1' },
])('a run of another machine or PID namespace keeps its containers for half an hour', async (place) => {
  await leaveLease({ ...dead(), place });
  for (const graceMs of [0, adoptionMs]) {
    expect(await isOrphan(container(), graceMs, lastSign + adoptionMs)).toBe(false);
    expect(await isOrphan(container(), graceMs, lastSign + adoptionMs + 1)).toBe(true);
  }
});

it('a workbench elsewhere that shows signs of life keeps them for as long as it does', async () => {
  const place = { ...ownPlace(), pidNamespace: '1' };
  await leaveLease({ ...dead(), place });
  const now = new Date();
  await utimes(join(dir, 'lease.json'), now, now);
  expect(await isOrphan(container(), 0, now.getTime() + 10 * adoptionMs)).toBe(false);
});

it('what this machine left before it was started again is an orphan', async () => {
  await leaveLease({ ...ownIdentity(), place: { ...ownPlace(), bootId: 'earlier' } });
  expect(await isOrphan(container(), adoptionMs, lastSign + adoptionMs)).toBe(false);
  expect(await isOrphan(container(), adoptionMs, lastSign + adoptionMs + 1)).toBe(true);
});
