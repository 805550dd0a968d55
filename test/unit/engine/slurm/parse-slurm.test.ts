import { describe, expect, it } from 'vitest';
import {
  parseKillLine,
  parseSacct,
  parseSinfo,
  parseSqueue,
  parseSubmitted,
} from '../../../../main/engine/slurm/parse-slurm';

/** As Slurm 22.05 prints it. */
const squeue = [
  '3_1|PENDING|JobArrayTaskLimit|work||tw-small',
  '12|PENDING|None|work||a|b',
  '3_0|RUNNING|None|work|n1|tw-small',
  '4|COMPLETING|TimeLimit|work|n2|tw-x',
  '2|TIMEOUT|TimeLimit|work|n2|tw-y',
  'slurm_load_jobs error: Unable to contact slurm controller',
].join('\n');

describe('the output of squeue', () => {
  const jobs = parseSqueue(squeue);

  it('is a job per line, with the name whatever it holds', () => {
    expect([...jobs.keys()]).toEqual(['3_1', '12', '3_0', '4', '2']);
    expect(jobs.get('12')).toEqual({
      ...{ phase: 'queued', name: 'a|b', partition: 'work' },
      ...{ reason: null, node: null, end: null },
    });
  });

  it('says what each is at: queued for a reason, running on a node, ending, or ended', () => {
    expect(jobs.get('3_1')).toMatchObject({ phase: 'queued', reason: 'JobArrayTaskLimit', node: null });
    expect(jobs.get('3_0')).toMatchObject({ phase: 'running', reason: null, node: 'n1' });
    expect(jobs.get('4')).toMatchObject({ phase: 'ending', end: null });
    expect(jobs.get('2')).toMatchObject({ phase: 'ended', end: 'time-limit', node: 'n2' });
  });

  it.each([
    ['COMPLETED', 'finished'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'cancelled'],
    ['NODE_FAIL', 'node-failure'],
    ['PREEMPTED', 'preempted'],
    ['OUT_OF_MEMORY', 'out-of-memory'],
  ])('knows the end %s', (state, end) => {
    expect(parseSqueue(`1|${state}|None|work|n1|x`).get('1')).toMatchObject({ phase: 'ended', end });
  });

  it('has a job that is requeued in the queue', () => {
    expect(parseSqueue('1|REQUEUED|None|work||x').get('1')?.phase).toBe('queued');
    expect(parseSqueue('1|CONFIGURING|None|work|n1|x').get('1')?.phase).toBe('running');
  });
});

it('the output of sacct is read to the same', () => {
  const jobs = parseSacct(
    '7|CANCELLED by 1000|work|None assigned|tw-a\n7.batch|CANCELLED|||batch\n8_2|TIMEOUT|gpu|n1|tw-b',
  );
  expect([...jobs]).toEqual([
    ['7', { phase: 'ended', name: 'tw-a', partition: 'work', reason: null, node: null, end: 'cancelled' }],
    ['8_2', { phase: 'ended', name: 'tw-b', partition: 'gpu', reason: null, node: 'n1', end: 'time-limit' }],
  ]);
  expect(parseSacct('Slurm accounting storage is disabled').size).toBe(0);
});

it.each([
  ['12', '12'],
  ['12;cluster\n', '12'],
  ['sbatch: a note of the site\n34', '34'],
  ['Submitted batch job 12', null],
  ['', null],
])('the id in %j is %j', (text, id) => {
  expect(parseSubmitted(text)).toBe(id);
});

it('the partitions of sinfo are one each, with what their nodes have', () => {
  const text =
    'work*|up|infinite|2|(null)\ngpu|up|1-00:00:00|3|gpu:a100:4\ngpu|up|1-00:00:00|1|gpu:h100:8\nold|down|30:00|1|(null)';
  expect(parseSinfo(text)).toEqual([
    { name: 'work', isDefault: true, isUp: true, timeLimit: 'infinite', nodes: 2, gres: null },
    {
      ...{ name: 'gpu', isDefault: false, isUp: true, timeLimit: '1-00:00:00', nodes: 4 },
      gres: 'gpu:a100:4, gpu:h100:8',
    },
    { name: 'old', isDefault: false, isUp: false, timeLimit: '30:00', nodes: 1, gres: null },
  ]);
});

it.each([
  ['', null],
  ['slurmstepd-n1: error: *** JOB 1 ON n1 CANCELLED AT 2026-11-25T23:46:50 ***', 'cancelled'],
  ['slurmstepd: error: *** JOB 2 ON n2 CANCELLED AT 2026-11-25T23:48:04 DUE TO TIME LIMIT ***', 'time-limit'],
  ['slurmstepd: error: *** JOB 6 ON n1 CANCELLED AT 2026-11-25T23:49:29 DUE TO JOB REQUEUE ***', 'requeued'],
  ['slurmstepd: error: *** JOB 6 ON n1 CANCELLED AT 2026-11-25T23:49:29 DUE TO PREEMPTION ***', 'preempted'],
  [
    '*** JOB 6 ON n1 CANCELLED AT 1 DUE TO JOB REQUEUE ***\nagain\n*** JOB 6 ON n1 CANCELLED AT 2 ***',
    'cancelled',
  ],
])('a log with %j was ended for %j', (log, end) => {
  expect(parseKillLine(log)).toBe(end);
});
