import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { SlurmEngineSpec } from '../../../../main/contract/job/job-engines';
import type { RunJob } from '../../../../main/contract/job/run-job';
import type { JobRequest } from '../../../../main/engine/job';
import { createSlurm } from '../../../../main/engine/slurm/slurm';
import type { SshOutput } from '../../../../main/platform/ssh/ssh-run';
import { noLogins } from '../../../support/host-reach';
import { rejection } from '../../../support/rejection';
import { askedOfSlurm, writeSlurmPrograms } from '../../../support/slurm-programs';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-slurm-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const cluster = async (answers: Readonly<Record<string, string>>) => {
  await writeSlurmPrograms(dir, answers);
  return createSlurm({
    layout: { jobs: join(dir, 'jobs') },
    env: { PATH: dir, MARK: 'yes' },
    hosts: noLogins,
  });
};
const asked = () => askedOfSlurm(dir);

const of = (...ids: readonly string[]): readonly RunJob[] =>
  ids.map((id) => ({ scheduler: 'slurm', id, name: `tw-${id}`, log: '/log', partition: null }));

const request: JobRequest<SlurmEngineSpec> = {
  ...{ name: 'tw-six', runIds: ['run-a', 'run-b'] },
  engine: { kind: 'slurm', partition: 'work' },
  program: {
    argv: ['/usr/bin/node', '/app/cli.cjs', 'resume'],
    env: { TRITON_WORKBENCH_HOME: '/shared/home' },
  },
};

describe('Slurm', () => {
  it('takes several runs as the tasks of one job', async () => {
    const slurm = await cluster({ sbatch: 'echo "41;main"' });
    const jobs = await slurm.submit(request);
    expect(jobs.map(({ id, name, partition }) => [id, name, partition])).toEqual([
      ['41_0', 'tw-six', 'work'],
      ['41_1', 'tw-six', 'work'],
    ]);
    const [folder = ''] = await readdir(join(dir, 'jobs'));
    expect(jobs[1]?.log).toBe(join(dir, 'jobs', folder, '41_1.log'));
    expect(await readFile(join(dir, 'jobs', folder, 'job.sh'), 'utf8')).toContain('1) run=run-b ;;');
    expect(await asked()).toEqual([expect.stringContaining('--array=0-1')]);
  });

  it('does not hand the mark of the workbench to a job, which outlives it', async () => {
    const slurm = await cluster({ sbatch: `/usr/bin/env > "${dir}/env"; echo 7` });
    await slurm.submit({ ...request, runIds: ['run-a'] });
    const env = await readFile(join(dir, 'env'), 'utf8');
    expect(env).toContain('MARK=yes');
    expect(env).not.toContain('TRITON_WORKBENCH_CHILD_OF');
  });

  it('says in its own words why it takes no job', async () => {
    const slurm = await cluster({
      sbatch: 'echo "sbatch: error: Batch job submission failed: Invalid account" >&2; exit 1',
    });
    const error = await rejection(slurm.submit(request));
    expect([error.code, error.message]).toEqual([
      'job-refused',
      'sbatch rejected the job: Batch job submission failed: Invalid account',
    ]);
  });

  it('is asked once for all jobs, and the database only for those that it has forgotten', async () => {
    const slurm = await cluster({
      squeue: 'echo "1|RUNNING|None|work|n1|tw-a"; echo "2|PENDING|Priority|work||tw-b"',
      sacct: 'case "$*" in *jobs=9) echo "9|TIMEOUT|work|n1|tw-c";; *) exit 1;; esac',
    });
    const statuses = await Promise.all([
      slurm.readStatuses(of('1')),
      slurm.readStatuses(of('2')),
      slurm.readStatuses(of('1', '2')),
    ]);
    expect(statuses[2].get('2')).toMatchObject({ phase: 'queued', reason: 'Priority' });
    expect(await asked()).toHaveLength(1);
    expect((await slurm.readStatuses(of('9'))).get('9')?.end).toBe('time-limit');
    expect((await slurm.readStatuses(of('8', '9'))).has('8')).toBe(false);
    await slurm.readStatuses(of('8', '9'));
    // Neither ends nor what nobody knows is asked for again.
    expect((await asked()).filter((line) => line.startsWith('sacct'))).toHaveLength(2);
  });

  it('is not available without its commands, and without an answer of the controller', async () => {
    const [none] = await (await cluster({})).detect();
    expect(none).toMatchObject({ available: false, note: 'sinfo is not installed on this machine' });
    expect(none?.remedy).toContain('login node');
    const down = await cluster({
      sinfo: 'echo "slurm_load_partitions: Unable to contact slurm controller" >&2; exit 1',
    });
    expect((await down.detect())[0]?.note).toContain('Unable to contact slurm controller');
  });

  it('is available with its version and partitions, and knows which of them there are', async () => {
    const slurm = await cluster({
      sinfo: 'echo "work*|up|infinite|2|(null)"; echo "gpu|up|1-00:00:00|1|gpu:a100:4"',
      sbatch: 'echo "slurm-wlm 22.05.8"',
    });
    expect((await slurm.detect())[0]).toMatchObject({
      ...{ available: true, version: '22.05.8' },
      note: 'Partitions: work (default): 2 nodes, no time limit; gpu: 1 node, gpu:a100:4, at most 1-00:00:00.',
    });
    expect(await slurm.refusal({ kind: 'slurm', partition: 'gpu' })).toBeNull();
    expect((await slurm.refusal({ kind: 'slurm', partition: 'gpux' }))?.message).toBe(
      'The cluster has no partition "gpux"; it has work, gpu',
    );
  });

  describe('by a login node', () => {
    const engine = { kind: 'slurm', login: 'rack' } as const;
    /** Notes what each host is asked, in place of ssh. */
    const overSsh = (answer: (command: string) => Partial<SshOutput> | Error) => {
      const commands: string[] = [];
      const run = (host: string, command: string): Promise<SshOutput> => {
        commands.push(`${host}: ${command}`);
        const given = answer(command);
        return given instanceof Error
          ? Promise.reject(given)
          : Promise.resolve({ exitCode: 0, stdout: '', stderr: '', ...given });
      };
      const slurm = createSlurm({ layout: { jobs: join(dir, 'jobs') }, env: { PATH: dir }, hosts: { run } });
      return { slurm, commands };
    };

    it('submits there after it saw the script, and asks there about its jobs only', async () => {
      const { slurm, commands } = overSsh((command) => {
        if (command.includes('sbatch')) return { stdout: '12\n' };
        return command.includes('squeue') ? { stdout: '12|RUNNING|None|work|n1|tw-a\n' } : {};
      });
      const jobs = await slurm.submit({ ...request, engine, runIds: ['run-a'] });
      expect(jobs).toEqual([expect.objectContaining({ id: '12', login: 'rack' })]);
      expect(commands[0]).toMatch(/^rack: .* test -r \S+\/job\.sh$/);
      expect(commands[1]).toContain('-u TRITON_WORKBENCH_CHILD_OF');
      const statuses = await slurm.readStatuses(jobs);
      expect(statuses.get('12')).toMatchObject({ phase: 'running', node: 'n1' });
      await slurm.cancel(jobs);
      expect(commands.at(-1)).toMatch(/^rack: .* scancel --quiet 12$/);
      expect(await asked()).toEqual([]);
    });

    it('that cannot read the home takes no job', async () => {
      const { slurm, commands } = overSsh(() => ({ exitCode: 1 }));
      const error = await rejection(slurm.submit({ ...request, engine }));
      expect([error.code, error.where]).toEqual(['engine-unavailable', 'engine.login']);
      expect(error.message).toMatch(/^The login node rack cannot read .*job\.sh$/);
      expect(commands).toHaveLength(1);
    });

    it('that does not answer, or has no Slurm, is named', async () => {
      const away = overSsh(() => new WorkbenchError('host-unreachable', 'No route', { remedy: 'Check it.' }));
      const unreachable = await rejection(away.slurm.refusal(engine));
      expect([unreachable.code, unreachable.message, unreachable.remedy]).toEqual([
        'engine-unavailable',
        'The login node rack: No route',
        'Check it.',
      ]);
      const bare = await rejection(overSsh(() => ({ exitCode: 127 })).slurm.refusal(engine));
      expect(bare.message).toBe('sinfo is not installed on rack');
    });
  });
});
