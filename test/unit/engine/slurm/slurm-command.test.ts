import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { batchScript, sbatchCommand } from '../../../../main/engine/slurm/slurm-command';

const run = promisify(execFile);
const job = { engine: { kind: 'slurm' }, name: 'tw-a', folder: '/home/jobs/a', tasks: null } as const;

describe('the command that submits a job', () => {
  it('asks for nothing that nobody chose', () => {
    expect(sbatchCommand(job)).toEqual([
      ...['sbatch', '--parsable', '--job-name=tw-a', '--nodes=1', '--ntasks=1', '--requeue'],
      ...['--open-mode=append', '--signal=B:USR2@60', '--chdir=/home/jobs/a'],
      ...['--output=/home/jobs/a/%j.log', '/home/jobs/a/job.sh'],
    ]);
  });

  it('has every field in an argument of its own', () => {
    const command = sbatchCommand({
      ...job,
      engine: {
        ...{ kind: 'slurm', partition: 'gpu', gres: 'gpu:a100:2', timeLimit: '1-12', account: 'team' },
        ...{ constraint: 'a100&ib', pauseAheadS: 120, tasksAtOnce: 4 },
        options: { qos: 'high', exclusive: 'true', comment: 'a b; rm -rf /' },
      },
    });
    expect(command).toEqual(
      expect.arrayContaining([
        ...['--partition=gpu', '--gres=gpu:a100:2', '--time=1-12', '--account=team'],
        ...['--constraint=a100&ib', '--qos=high', '--exclusive', '--comment=a b; rm -rf /'],
        '--signal=B:USR2@120',
      ]),
    );
    expect(command.filter((word) => word.startsWith('--array'))).toEqual([]);
  });

  it('is an array for several runs, with so many at once', () => {
    const command = sbatchCommand({ ...job, engine: { kind: 'slurm', tasksAtOnce: 2 }, tasks: 6 });
    expect(command).toContain('--array=0-5%2');
    expect(command).toContain('--output=/home/jobs/a/%A_%a.log');
    expect(sbatchCommand({ ...job, tasks: 6 })).toContain('--array=0-5');
  });
});

describe('the script of a job', () => {
  const program = {
    argv: ['node', '-e', 'console.log(JSON.stringify([process.env.HOME_OF, process.argv[1]]))'],
    env: { HOME_OF: "/a home/with 'quotes' and $HOME" },
  };
  const said = async (runIds: readonly string[], env: Record<string, string> = {}) => {
    const dir = await mkdtemp(join(tmpdir(), 'twb-script-'));
    try {
      await writeFile(join(dir, 'job.sh'), batchScript(program, runIds));
      const { stdout } = await run('sh', [join(dir, 'job.sh')], { env: { ...process.env, ...env } });
      return JSON.parse(stdout) as unknown;
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  };

  it('continues its run in the home that it was submitted from', async () => {
    expect(await said(['run-1'])).toEqual([program.env.HOME_OF, 'run-1']);
  });

  it('begins it also where the signal before the time limit comes before the program listens', async () => {
    const early = { argv: ['sh', '-c', 'kill -USR2 $$; echo "$0 begins"'], env: {} };
    const { stdout } = await run('sh', ['-c', batchScript(early, ['run-1'])]);
    expect(stdout).toBe('run-1 begins\n');
  });

  it('of an array continues the run of its task', async () => {
    const runs = ['run-1', 'run-2', 'run-3'];
    expect(await said(runs, { SLURM_ARRAY_TASK_ID: '1' })).toEqual([program.env.HOME_OF, 'run-2']);
    await expect(said(runs, { SLURM_ARRAY_TASK_ID: '3' })).rejects.toThrow('No run for task 3.');
  });
});
