import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobState, JobStatus } from '../../../main/contract/job/run-job';
import type { RunState } from '../../../main/contract/run/run-state';
import { withCurrentStatus } from '../../../main/store/current-status';
import { leaseFile, ownHolder } from '../../../main/store/file-lease';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-standing-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

type Standing = Pick<RunState, 'status' | 'waitsFor' | 'job'>;
const job: JobState = {
  ...{ scheduler: 'slurm', id: '12', name: 'tw-a', log: '/l', partition: null },
  ...{ node: 'n1', end: null },
};
const running: Standing = { status: 'running', waitsFor: null, job };
const status = (change: Partial<JobStatus>): JobStatus => ({
  ...{ phase: 'queued', name: 'tw-a', partition: 'gpu', reason: 'Resources', node: null, end: null },
  ...change,
});
const seen = (run: Standing, found: JobStatus | null | 'silent') =>
  withCurrentStatus(run, dir, {
    readStatuses: () =>
      found === 'silent'
        ? Promise.reject(new Error('no answer'))
        : Promise.resolve(new Map(found === null ? [] : [['12', found]])),
  });
const held = (change: object = {}) =>
  writeFile(join(dir, leaseFile), JSON.stringify({ ...ownHolder(), ...change }));
const elsewhere = { place: { host: 'n1', bootId: 'another', pidNamespace: '1' } };

describe('a run that was handed to a job', () => {
  it('waits for its job while that is queued, and while nobody can say', async () => {
    expect(await seen(running, status({}))).toMatchObject({
      status: 'running',
      waitsFor: { reason: 'job', what: 'Slurm job 12, queued on gpu (Resources)' },
    });
    expect((await seen(running, 'silent')).waitsFor?.what).toContain('answer from Slurm');
  });

  it('is interrupted when its job has ended without it, for the reason that the scheduler has', async () => {
    const end = status({ phase: 'ended', end: 'node-failure' });
    expect(await seen(running, end)).toMatchObject({
      ...{ status: 'interrupted', waitsFor: null },
      job: { end: 'node-failure' },
    });
    expect((await seen(running, null)).job?.end).toBe('gone');
  });

  it('is cancelled when its job was cancelled before the run began there', async () => {
    expect(await seen(running, status({ phase: 'ended', end: 'cancelled' }))).toMatchObject({
      ...{ status: 'cancelled', waitsFor: null },
      job: { end: 'cancelled' },
    });
  });

  it('is not of another job that has its number', async () => {
    expect((await seen(running, status({ name: 'tw-b' }))).status).toBe('interrupted');
  });

  it('is as its process says where that can be looked up', async () => {
    await held();
    expect(await seen(running, status({ phase: 'ended', end: 'failed' }))).toEqual(running);
  });

  it('is interrupted with the job on another machine, before the lease there is old', async () => {
    await held(elsewhere);
    expect(await seen(running, status({ phase: 'running', node: 'n1' }))).toEqual(running);
    expect((await seen(running, status({ phase: 'ended', end: 'node-failure' }))).status).toBe('interrupted');
  });

  it('was ended by its deadline where the cluster says so and the pod only that it was stopped', async () => {
    const paused: Standing = { ...running, status: 'paused', job: { ...job, end: 'stopped' } };
    const ended = await seen(paused, status({ phase: 'ended', end: 'time-limit', node: 'n1' }));
    expect(ended).toMatchObject({ status: 'paused', job: { end: 'time-limit', node: 'n1' } });
    for (const says of [status({ phase: 'ended', end: 'failed' }), null, 'silent'] as const) {
      expect(await seen(paused, says)).toEqual(paused);
    }
  });

  it('is queued again when its job was requeued, and paused when it was not', async () => {
    const paused: Standing = { ...running, status: 'paused', job: { ...job, end: 'requeued' } };
    expect(await seen(paused, status({ reason: 'BeginTime' }))).toMatchObject({
      status: 'running',
      waitsFor: { what: 'Slurm job 12, queued on gpu (BeginTime)' },
    });
    expect(await seen(paused, status({ phase: 'ended', end: 'cancelled' }))).toEqual(paused);
    // Between its start and the first line of the run, too.
    expect((await seen(paused, status({ phase: 'running', node: 'n1' }))).waitsFor?.what).toContain('n1');
    const limited: Standing = { ...paused, job: { ...job, end: 'time-limit' } };
    expect(await seen(limited, status({ phase: 'running', node: 'n1' }))).toEqual(limited);
    const byPerson: Standing = { ...running, status: 'paused' };
    expect(await seen(byPerson, status({}))).toEqual(byPerson);
  });
});

it('a run without a job is interrupted when nobody works on it', async () => {
  const own: Standing = { status: 'running', waitsFor: null, job: null };
  expect((await seen(own, null)).status).toBe('interrupted');
  await held();
  expect(await seen(own, null)).toEqual(own);
});
