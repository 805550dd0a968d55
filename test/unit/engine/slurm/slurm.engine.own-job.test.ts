import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownSlurmJob } from '../../../../main/engine/slurm/slurm.engine';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-own-job-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const env = { SLURM_JOB_ID: '14', SLURM_JOB_NAME: 'tw-six', SLURMD_NODENAME: 'n2' };

describe('the job that a process runs in', () => {
  it('is known by its id, a task by its place in the array', () => {
    expect(ownSlurmJob({})).toBeNull();
    expect(ownSlurmJob(env)).toMatchObject({ id: '14', name: 'tw-six', node: 'n2' });
    const task = { ...env, SLURM_ARRAY_JOB_ID: '12', SLURM_ARRAY_TASK_ID: '2' };
    expect(ownSlurmJob(task)?.id).toBe('12_2');
  });

  it('ends for the reason that Slurm wrote last, however much the job had printed', async () => {
    const output = join(dir, '14.log');
    const line = (due: string) =>
      `slurmstepd: error: *** JOB 14 ON n2 CANCELLED AT 2026-11-26T01:00:00${due} ***`;
    const printed = 'online: concurrency 1\n'.repeat(20_000);
    await writeFile(output, [line(' DUE TO JOB REQUEUE'), printed, line(' DUE TO TIME LIMIT')].join('\n'));
    expect(await ownSlurmJob(env, output)?.end()).toBe('time-limit');
    await writeFile(output, printed);
    expect(await ownSlurmJob(env, output)?.end()).toBeNull();
    expect(await ownSlurmJob(env, join(dir, 'none.log'))?.end()).toBeNull();
  });
});
