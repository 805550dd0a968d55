import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../main/contract/api';
import { createHosts } from '../../main/hosts/hosts';
import { homeLayout } from '../../main/platform/layout';
import { endSshConnections } from '../../main/platform/ssh/ssh-connection';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { takesAll } from '../support/campaign';
import { cli, type RunDocument, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';
import { startCluster, type TestCluster } from '../support/slurm';
import { startSshd } from '../support/sshd';
import { until } from '../support/until';

let home: TestHome;
let cluster: TestCluster;
beforeAll(async () => {
  home = await createTestHome();
  cluster = await startCluster(['n1']);
  Object.assign(process.env, cluster.env);
  // What is measured does not matter here.
  await writeFile(
    join(home.path, 'slurm.yaml'),
    'default: quick\nprofiles:\n  quick: {partition: work, timeLimit: "10"}\n',
  );
});
afterAll(async () => {
  await cluster.stop();
  await home.remove();
});

const little = [
  ...['run', 'resnet50', '--profile', 'quick', '--engine', 'slurm', ...littleModel],
  ...['--batch-sizes', '1', '--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
  ...['--set', 'performance.measurementIntervalMs=500', '--set', 'performance.stabilityPercentage=1000'],
];
const runs = async (): Promise<readonly RunSummary[]> =>
  (JSON.parse((await cli(home.path, 'runs', '--json')).stdout) as { runs: RunSummary[] }).runs;
const journalOf = async (runId: string) =>
  (await readJournal(runFolder(join(home.path, 'runs', runId)).journal)).entries;

describe('run --engine slurm', () => {
  it('is a job from its queue to its report, and is followed', async () => {
    const started = startCli(home.path, [...little, '--concurrency', '1', '--json']);
    await started.line(/^Submitted as Slurm job \d+/);
    await started.line(/^Running on n1/);
    const { code, stdout, stderr } = await started.result;
    const document = JSON.parse(stdout) as RunDocument;
    expect([code, document.status, document.job?.node]).toEqual([0, 'done', 'n1']);
    expect(document.online).toHaveLength(1);
    expect(stderr).toContain('online: ');
    expect((await runs())[0]).toMatchObject({ status: 'done', engine: 'slurm', waitsFor: null });
    expect((await journalOf(document.runId)).filter(({ type }) => type === 'job-submitted')).toHaveLength(1);
  });

  if (!takesAll) return;

  it('ends by scancel with what was measured, and resume continues it as another job', async () => {
    const { stdout } = await cli(home.path, ...little, '--concurrency', '1:12:1', '--detach', '--json');
    const { runId, job } = JSON.parse(stdout) as RunDocument;
    await until('a level is measured', async () =>
      (await journalOf(runId)).some(({ type }) => type === 'measurement'),
    );
    await cluster.slurm('scancel', job?.id ?? '');
    await until('the run is cancelled', async () => (await runs())[0]?.status === 'cancelled');
    const before = (await journalOf(runId)).filter(({ type }) => type === 'measurement').length;
    const { code, stderr } = await cli(home.path, 'resume', runId, '--json');
    expect(code, stderr).toBe(0);
    const after = await journalOf(runId);
    const keys = after.flatMap((entry) => (entry.type === 'measurement' ? [entry.key] : []));
    expect([keys.length, new Set(keys).size]).toEqual([13, 13]);
    expect(before).toBeLessThan(13);
    expect(after.filter(({ type }) => type === 'job-submitted')).toHaveLength(2);
  });

  it('is queued again by scontrol requeue, and continues by itself', async () => {
    const { stdout } = await cli(home.path, ...little, '--concurrency', '1:6:1', '--detach', '--json');
    const { runId, job } = JSON.parse(stdout) as RunDocument;
    const id = job?.id ?? '';
    await until('a level is measured', async () =>
      (await journalOf(runId)).some(({ type }) => type === 'measurement'),
    );
    await cluster.slurm('scontrol', 'requeue', id);
    await until(
      'the run waits for its job',
      async () => (await runs())[0]?.waitsFor?.what === `Slurm job ${id}, queued on work (BeginTime)`,
    );
    expect(await journalOf(runId)).toContainEqual(
      expect.objectContaining({ type: 'job-ended', id, end: 'requeued', node: 'n1' }),
    );
    // Slurm itself would wait two minutes.
    await cluster.slurm('scontrol', 'update', `jobid=${id}`, 'starttime=now');
    const { code, stderr } = await cli(home.path, 'resume', runId, '--json');
    expect(code, stderr).toBe(0);
    const keys = (await journalOf(runId)).flatMap((entry) =>
      entry.type === 'measurement' ? [entry.key] : [],
    );
    expect([keys.length, new Set(keys).size]).toEqual([7, 7]);
    expect((await journalOf(runId)).filter(({ type }) => type === 'job-submitted')).toHaveLength(1);
  });

  it('is submitted, followed and cancelled by the commands of a login node, where this machine has none', async () => {
    const sshd = await startSshd(cluster.env);
    const environment = { ...sshd.env, SLURM_CONF: '/nowhere/slurm.conf' };
    const away = (...args: readonly string[]) => startCli(home.path, args, [], environment);
    try {
      await createHosts({ layout: homeLayout(home.path), env: sshd.env, now: () => new Date() }).add({
        ...{ name: 'login', address: 'ssh://login' },
      });
      const started = away(...little, '--slurm-login', 'login', '--concurrency', '1:12:1', '--json');
      await started.line(/^Submitted as Slurm job \d+/);
      await started.line(/^Running on n1/);
      await started.line(/online: .*concurrency 1:/);
      const [run] = await runs();
      expect(run?.job?.login).toBe('login');
      const cancelled = await away('cancel', run?.runId ?? '').result;
      expect(cancelled.code, cancelled.stderr).toBe(0);
      await started.result;
      const listed = await away('runs', '--json').result;
      expect((JSON.parse(listed.stdout) as { runs: RunSummary[] }).runs[0]).toMatchObject({
        ...{ runId: run?.runId, status: 'cancelled', waitsFor: null },
      });
      // A node takes a moment to clean up after a job.
      await until('no job is left', async () => (await cluster.slurm('squeue', '--me', '--noheader')) === '');
    } finally {
      await endSshConnections();
      await sshd.stop();
    }
  });
});
