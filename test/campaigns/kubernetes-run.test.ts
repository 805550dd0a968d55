import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../main/contract/api';
import { defaultHome } from '../../main/platform/layout';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, type RunDocument, startCli } from '../support/cli';
import { startKubernetes, type TestKubernetes } from '../support/kubernetes';
import { until } from '../support/until';

let cluster: TestKubernetes;
let home = '';
beforeAll(async () => {
  cluster = await startKubernetes();
  Object.assign(process.env, cluster.env);
  home = await mkdtemp(join(cluster.machine, 'tmp', 'workbench-home-'));
  for (const tool of ['python', 'triton', 'perf-analyzer', 'electron']) {
    await symlink(join(defaultHome(process.env), tool), join(home, tool));
  }
  const profile = { image: cluster.image, claim: 'machine', mountPath: cluster.machine, triton: 'home' };
  await writeFile(
    join(home, 'kubernetes.yaml'),
    JSON.stringify({ default: 'test', profiles: { test: profile } }),
  );
});
afterAll(async () => {
  if (home === '') return;
  await rm(home, { recursive: true, force: true });
  await cluster.stop();
});

const little = [
  ...['run', 'resnet50', '--profile', 'quick', '--engine', 'kubernetes'],
  ...['--set', 'model.args.train_epochs="1"', '--set', 'model.args.train_images="20"'],
  ...['--set', 'model.args.val_images="4"', '--set', 'accuracy.thresholds.top1=0'],
  ...['--batch-sizes', '1', '--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
  ...['--set', 'performance.measurementIntervalMs=500', '--set', 'performance.stabilityPercentage=1000'],
];
const submitted = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await cli(home, ...little, ...args, '--detach', '--json');
  expect(code, stderr).toBe(0);
  const { runId, job } = JSON.parse(stdout) as RunDocument;
  return { runId, job: job?.name ?? '' };
};
const runOf = async (runId: string): Promise<RunSummary | undefined> => {
  const { runs } = JSON.parse((await cli(home, 'runs', '--json')).stdout) as { runs: RunSummary[] };
  return runs.find((run) => run.runId === runId);
};
const journalOf = async (runId: string) =>
  (await readJournal(runFolder(join(home, 'runs', runId)).journal)).entries;
const keysOf = async (runId: string) =>
  (await journalOf(runId)).flatMap((entry) => (entry.type === 'measurement' ? [entry.key] : []));
const measured = (runId: string) =>
  until('a level is measured', async () => (await keysOf(runId)).length > 0);
const queuedWith = (runId: string, reason: string) =>
  until(
    `the run waits: ${reason}`,
    async () => (await runOf(runId))?.waitsFor?.what.includes(`queued on test (${reason}`) === true,
  );

describe('run --engine kubernetes on a real cluster', () => {
  it('is a Job from its pod to its report, and is followed', async () => {
    const started = startCli(home, [...little, '--concurrency', '1', '--json']);
    await started.line(/^Submitted as Kubernetes job ml\/tw-/);
    await started.line(/^Running on node-a/);
    const { code, stdout } = await started.result;
    const { status, job, online } = JSON.parse(stdout) as RunDocument;
    expect([code, status, job?.node, online.length]).toEqual([0, 'done', 'node-a', 1]);
    const printed = await cluster.kubectl('logs', `job/${job?.name ?? ''}`);
    expect(printed).toContain('Run ');
  });

  it('waits with the words of the cluster, and cancel takes the Job back', async () => {
    const gpu = await submitted('--concurrency', '1', '--kubernetes-gpus', '1');
    const image = await submitted(
      '--concurrency',
      '1',
      '--kubernetes-image',
      'localhost:1/none:1',
      '--trust',
    );
    await queuedWith(gpu.runId, 'Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.');
    await queuedWith(image.runId, 'ImagePullBackOff');
    for (const { runId, job } of [gpu, image]) {
      expect((await cli(home, 'cancel', runId)).code).toBe(0);
      expect((await runOf(runId))?.status).toBe('cancelled');
      await until('the Job is gone', async () => !(await cluster.kubectl('get', 'jobs')).includes(job));
    }
  });

  it('continues in another pod of its Job when one is deleted, and measures nothing twice', async () => {
    const { runId, job } = await submitted('--concurrency', '1:12:1');
    await measured(runId);
    await cluster.kubectl('delete', 'pod', '--selector', `job-name=${job}`, '--wait=false');
    expect((await cli(home, 'resume', runId, '--json')).code).toBe(0);
    const keys = await keysOf(runId);
    expect([keys.length, new Set(keys).size]).toEqual([13, 13]);
    const entries = await journalOf(runId);
    expect(entries.filter(({ type }) => type === 'job-submitted')).toHaveLength(1);
    expect(entries).toContainEqual(expect.objectContaining({ type: 'job-ended', end: 'stopped' }));
  });

  it('is cancelled while it measures, and resume continues it as another Job', async () => {
    const { runId } = await submitted('--concurrency', '1:12:1');
    await measured(runId);
    expect((await cli(home, 'cancel', runId)).code).toBe(0);
    await until('the run is cancelled', async () => (await runOf(runId))?.status === 'cancelled');
    expect(await journalOf(runId)).toContainEqual(
      expect.objectContaining({ type: 'job-ended', end: 'cancelled' }),
    );
    expect((await cli(home, 'resume', runId, '--json')).code).toBe(0);
    const keys = await keysOf(runId);
    expect([keys.length, new Set(keys).size]).toEqual([13, 13]);
  });

  it('is paused before its deadline, by the signal of its own pod', async () => {
    const { runId, job } = await submitted(
      ...['--concurrency', '1:60:1', '--kubernetes-deadline', '20m', '--kubernetes-pause-ahead', '1190s'],
    );
    await until('the run is paused', async () => (await runOf(runId))?.status === 'paused');
    expect((await runOf(runId))?.job?.end).toBe('time-limit');
    const reason = '--output=jsonpath={.status.conditions[*].reason}';
    await until('its Job has ended', async () => (await cluster.kubectl('get', 'job', job, reason)) !== '');
    expect(await cluster.kubectl('get', 'job', job, reason)).not.toContain('DeadlineExceeded');
  });

  it('is paused by its deadline', async () => {
    const { runId, job } = await submitted(
      ...['--concurrency', '1:60:1', '--kubernetes-deadline', '60s', '--kubernetes-pause-ahead', '1s'],
    );
    await until('the run is paused', async () => (await runOf(runId))?.status === 'paused');
    await until(
      'its Job has ended',
      async () =>
        (await cluster.kubectl(
          'get',
          'job',
          job,
          '--output=jsonpath={.status.failed}{.status.succeeded}',
        )) === '1',
    );
    expect((await runOf(runId))?.job?.end).toBe('time-limit');
  });

  it('says of a run why its Job ended without it', async () => {
    const wrong = startCli(home, [...little, '--concurrency', '1', '--kubernetes-claim', 'other']);
    const { code, stdout } = await wrong.result;
    expect(code).not.toBe(0);
    expect(stdout).toContain('the volume of the claim other is not the one that is mounted at');
    const { runId } = await submitted('--concurrency', '1', '--kubernetes-memory', '90Mi');
    await until('the run is interrupted', async () => (await runOf(runId))?.status === 'interrupted');
    expect((await runOf(runId))?.job?.end).toBe('out-of-memory');
  });
});
