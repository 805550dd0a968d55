import { describe, expect, it } from 'vitest';
import {
  jobEndText,
  jobLine,
  type JobStatus,
  jobWait,
  shortJobText,
} from '../../../../main/contract/job/run-job';

const job = { scheduler: 'slurm', id: '12', name: 'tw-a', log: '/l', partition: null } as const;
const status = (change: Partial<JobStatus>): JobStatus => ({
  ...{ phase: 'queued', name: 'tw-a', partition: 'gpu', reason: 'Resources', node: null, end: null },
  ...change,
});

describe('a job in words', () => {
  it.each([
    [status({}), 'Slurm job 12, queued on gpu (Resources)', 'Queued on gpu (Resources)'],
    [status({ reason: null }), 'Slurm job 12, queued on gpu', 'Queued on gpu'],
    [
      status({ phase: 'running', node: 'n1' }),
      'Slurm job 12 to start the run on n1',
      'Waiting for Slurm job 12 to start the run on n1',
    ],
    ['silent' as const, 'an answer from Slurm about job 12', 'Waiting for an answer from Slurm about job 12'],
  ])('%j is waited for', (seen, what, short) => {
    expect(jobWait(job, seen)?.what).toBe(what);
    expect(shortJobText(what)).toBe(short);
  });

  it('is not waited for when it has ended', () => {
    expect(jobWait(job, status({ phase: 'ended', end: 'time-limit' }))).toBeNull();
    expect(jobEndText(job, 'time-limit', 'n1')).toBe('Slurm job 12 reached its time limit on n1.');
  });

  it('is said of a run where it is at, or why it ended', () => {
    const state = { ...job, node: 'n1', end: null };
    expect(jobLine({ status: 'running', job: state, waitsFor: null })).toBe('Running on n1 (Slurm job 12).');
    expect(jobLine({ status: 'running', job: state, waitsFor: { reason: 'job' } })).toBeNull();
    expect(jobLine({ status: 'paused', job: { ...state, end: 'preempted' }, waitsFor: null })).toBe(
      'Slurm job 12 was preempted on n1.',
    );
    expect(jobLine({ status: 'done', job: state, waitsFor: null })).toBeNull();
    expect(jobLine({ status: 'running', job: null, waitsFor: null })).toBeNull();
  });
});
