import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CoreEvent } from '../../../../main/contract/api';
import { WorkbenchError } from '../../../../main/contract/errors';
import type { JobStatus } from '../../../../main/contract/job/run-job';
import type { JobRequest, JobScheduler } from '../../../../main/engine/job';
import { ownKubernetesJob } from '../../../../main/engine/kubernetes/kubernetes.engine';
import { createSlurm } from '../../../../main/engine/slurm/slurm';
import { ownSlurmJob } from '../../../../main/engine/slurm/slurm.engine';
import { JobRuns } from '../../../../main/pipeline/jobs/job-runs';
import { acquireLease } from '../../../../main/store/file-lease';
import { RunKey } from '../../../../main/store/run-key';
import { RunStore } from '../../../../main/store/run-store';
import { createRunTrash } from '../../../../main/store/run-trash';
import { noLogins } from '../../../support/host-reach';
import { rejection } from '../../../support/rejection';
import { environmentFixture, sourceFixture, specFixture } from '../../../support/run-state';
import { runStore } from '../../../support/run-store';
import { askedOfSlurm, writeSlurmPrograms } from '../../../support/slurm-programs';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-job-runs-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Runs that were handed over, in a home whose cluster says this of their jobs. */
const handedOver = async (
  squeue: string,
  count = 1,
  env: NodeJS.ProcessEnv = {},
  stopped: (jobsTaken: number) => boolean = () => false,
) => {
  await writeSlurmPrograms(dir, {
    squeue: `echo "${squeue}"`,
    sacct: 'exit 1',
    scancel: '',
    sbatch: 'echo 12',
  });
  const scheduler = createSlurm({ layout: { jobs: join(dir, 'jobs') }, env: { PATH: dir }, hosts: noLogins });
  const store = new RunStore(join(dir, 'runs'), new RunKey(join(dir, 'run-key')), scheduler);
  const events: CoreEvent[] = [];
  const jobs = new JobRuns({
    ...{ store, scheduler, ownJob: ownSlurmJob(env), emitsEntries: true },
    program: { argv: ['node', 'cli.cjs', 'resume'], env: {} },
    emit: (event) => events.push(event),
  });
  const runIds: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const spec = specFixture((own) => {
      own.engine = { kind: 'slurm', partition: at < 2 ? 'work' : 'other' };
    });
    runIds.push((await store.create(spec, environmentFixture())).state.runId);
  }
  const stop = new AbortController();
  const taken = { count: 0 };
  const opened = await Promise.all(
    runIds.map(async (runId) => {
      const { state } = await store.load(runId);
      return {
        ...{ runId, state: () => state },
        append: async (body: Parameters<typeof store.append>[1]) => {
          await store.append(runId, body);
          taken.count += 1;
          if (stopped(taken.count)) stop.abort();
        },
      };
    }),
  );
  await jobs.submit(opened, { name: 'two nights', signal: stop.signal });
  const [runId = ''] = runIds;
  const state = async () => (await store.load(runId)).state;
  return { jobs, store, runId, runIds, events, state };
};

describe('a run that was handed to a job', () => {
  it('is cancelled in the queue by taking the job back, and is then a run without a job', async () => {
    const { jobs, runId, state } = await handedOver('12|PENDING|Resources|work||tw-RUN');
    // The stub does not know the name of the run before it is made.
    await writeSlurmPrograms(dir, { squeue: `echo "12|PENDING|Resources|work||tw-${runId}"` });
    expect((await state()).waitsFor?.what).toBe('Slurm job 12, queued on work (Resources)');
    expect(await jobs.cancel(runId)).toBe(true);
    expect(await state()).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    expect(await askedOfSlurm(dir)).toContain('scancel --quiet 12');
    expect(await jobs.cancel(runId)).toBe(false);
  });

  it('is paused in the queue the same way', async () => {
    const { jobs, runId, state } = await handedOver('');
    await writeSlurmPrograms(dir, { squeue: `echo "12|PENDING|Resources|work||tw-${runId}"` });
    expect(await jobs.pause(runId)).toBe(true);
    expect(await state()).toMatchObject({ status: 'paused', error: null });
  });

  it('is neither removed nor changed while its job is alive', async () => {
    const { jobs, store, runId } = await handedOver('');
    await writeSlurmPrograms(dir, { squeue: `echo "12|PENDING|Resources|work||tw-${runId}"` });
    const trash = createRunTrash(store, { runs: join(dir, 'runs'), trash: join(dir, 'trash') });
    for (const attempt of [
      () => trash.remove(runId),
      () => store.remove(runId),
      () => jobs.alive(runId, true),
    ]) {
      expect((await rejection(attempt())).code).toBe('run-busy');
    }
    expect(await jobs.alive(runId, false)).not.toBeNull();
    jobs.close();
  });

  it('is followed, not refused as busy, while the job that was requeued has its lease and has journalled nothing', async () => {
    const { jobs, store, runId, state } = await handedOver('');
    await store.append(runId, { type: 'run-started', attempt: 1, pid: 1, node: 'n1' });
    await store.append(runId, { type: 'job-ended', id: '12', end: 'requeued', node: 'n1' });
    await store.append(runId, { type: 'run-finished', outcome: 'paused' });
    await writeSlurmPrograms(dir, { squeue: `echo "12|RUNNING|None|work|n1|tw-${runId}"` });
    const release = await acquireLease((await store.folderOf(runId)).dir);
    try {
      expect((await state()).status).toBe('paused');
      expect(await jobs.alive(runId, false)).not.toBeNull();
      expect((await rejection(jobs.alive(runId, true))).code).toBe('run-busy');
    } finally {
      jobs.close();
      await release();
    }
  });

  it('is nobody’s where the job that was requeued has ended since', async () => {
    const { jobs, store, runId } = await handedOver('');
    await store.append(runId, { type: 'job-ended', id: '12', end: 'requeued', node: 'n1' });
    await store.append(runId, { type: 'run-finished', outcome: 'paused' });
    await writeSlurmPrograms(dir, { squeue: `echo "12|CANCELLED|None|work|n1|tw-${runId}"` });
    expect(await jobs.alive(runId, false)).toBeNull();
  });

  it('ends with the reason that the scheduler has where its job ends without it, in the journal too', async () => {
    const { jobs, runId, state } = await handedOver('');
    await writeSlurmPrograms(dir, { squeue: `echo "12|NODE_FAIL|None|work|n1|tw-${runId}"` });
    const end = await jobs.follow(runId);
    expect(end).toMatchObject({ outcome: 'failed', error: { code: 'job-ended' } });
    expect(end.error?.message).toBe('Slurm job 12 lost its node on n1.');
    // The scheduler has forgotten it.
    await writeSlurmPrograms(dir, { squeue: '' });
    expect(await state()).toMatchObject({ status: 'interrupted', job: { end: 'node-failure', node: 'n1' } });
  });

  it('is cancelled for good when somebody cancels its job in the queue', async () => {
    const { jobs, runId, state } = await handedOver('');
    await writeSlurmPrograms(dir, { squeue: `echo "12|CANCELLED|None|work||tw-${runId}"` });
    expect(await jobs.follow(runId)).toMatchObject({ outcome: 'cancelled', error: { code: 'cancelled' } });
    await writeSlurmPrograms(dir, { squeue: '' });
    expect(await state()).toMatchObject({
      status: 'cancelled',
      error: { message: 'Slurm job 12 was cancelled.' },
    });
  });

  it('is a task of one job with the runs that ask for the same', async () => {
    const { store, runIds } = await handedOver('', 3);
    const jobs = await Promise.all(runIds.map(async (runId) => (await store.load(runId)).state.job));
    expect(jobs.map((job) => job?.id)).toEqual(['12_0', '12_1', '12']);
    expect(jobs.map((job) => job?.name)).toEqual(['tw-two-nights', 'tw-two-nights', `tw-${runIds[2] ?? ''}`]);
  });

  it('has its job in its journal also where Ctrl-C comes meanwhile, and no further job is submitted', async () => {
    const { store, runIds } = await handedOver('', 3, {}, (count) => count === 1);
    const jobs = await Promise.all(runIds.map(async (runId) => (await store.load(runId)).state.job));
    expect(jobs.map((job) => job?.id ?? null)).toEqual(['12_0', '12_1', null]);
  });
});

describe('inside of a job', () => {
  const spec = specFixture((own) => {
    own.engine = { kind: 'slurm' };
  });

  it('the run is worked on, on the node that the job has', async () => {
    const env = { SLURM_JOB_ID: '12', SLURM_JOB_NAME: 'tw-a', SLURMD_NODENAME: 'n7' };
    const { jobs } = await handedOver('', 1, env);
    expect(jobs.isHandedOver({ source: sourceFixture(spec) })).toBe(false);
    expect(jobs.nodeOf(spec)).toBe('n7');
    expect(jobs.nodeOf(specFixture())).toBeNull();
  });

  it('of Kubernetes the run was cancelled where it was asked to be, and otherwise stopped by the cluster', async () => {
    const { jobs, store, runId } = await handedOver('');
    const inPod = new JobRuns({
      ...{
        store,
        scheduler: createSlurm({ layout: { jobs: dir }, env: {}, hosts: noLogins }),
        emitsEntries: true,
      },
      ownJob: ownKubernetesJob({ TRITON_WORKBENCH_JOB: 'ml/tw-a' }),
      ...{ program: { argv: [], env: {} }, emit: () => undefined },
    });
    const engine = { kind: 'kubernetes' } as const;
    expect(inPod.isHandedOver({ source: sourceFixture({ ...spec, engine }) })).toBe(false);
    expect(jobs.isHandedOver({ source: sourceFixture({ ...spec, engine }) })).toBe(true);
    expect(await inPod.ownEnd(runId)).toBe('stopped');
    await writeFile((await store.folderOf(runId)).cancelRequest, '');
    expect(await inPod.ownEnd(runId)).toBe('cancelled');
  });

  it('of somebody else a run is handed over as from anywhere', async () => {
    const { jobs } = await handedOver('', 1, { SLURM_JOB_ID: '12', SLURM_JOB_NAME: 'interactive' });
    expect(jobs.isHandedOver({ source: sourceFixture(spec) })).toBe(true);
    expect(jobs.nodeOf(spec)).toBeNull();
  });
});

describe('a run that was handed to a Job of Kubernetes', () => {
  const status = (change: Partial<JobStatus>): JobStatus => ({
    ...{ phase: 'queued', name: 'tw-0', partition: 'test', reason: null, node: null, end: null },
    ...change,
  });

  /** Runs whose cluster says this of every Job. */
  const inCluster = async (says: JobStatus, cluster: Partial<JobScheduler> = {}, count = 1) => {
    const requests: JobRequest[] = [];
    const nothing = () => Promise.reject(new Error('not asked'));
    const scheduler: JobScheduler = {
      ...{ detect: nothing, refusal: nothing, cancel: () => Promise.resolve() },
      submit: (request) => {
        const name = `tw-${requests.push(request) - 1}`;
        const log = `kubectl --context test --namespace ml logs job/${name}`;
        const job = { scheduler: 'kubernetes', id: `ml/${name}`, name, log, partition: 'test' } as const;
        return Promise.resolve([job]);
      },
      readStatuses: (jobs) => Promise.resolve(new Map(jobs.map(({ id, name }) => [id, { ...says, name }]))),
      ...cluster,
    };
    const store = new RunStore(join(dir, 'runs'), new RunKey(join(dir, 'run-key')), scheduler);
    const jobs = new JobRuns({
      ...{ store, scheduler, ownJob: null, emitsEntries: false, emit: () => undefined },
      program: { argv: [], env: {} },
    });
    const stop = new AbortController();
    const opened = [];
    for (let at = 0; at < count; at += 1) {
      const spec = specFixture((own) => {
        own.engine = { kind: 'kubernetes' };
      });
      const { state } = await store.create(spec, environmentFixture());
      const append = async (body: Parameters<typeof store.append>[1]) => {
        await store.append(state.runId, body);
        if (requests.length === 2) stop.abort();
      };
      opened.push({ runId: state.runId, state: () => state, append });
    }
    await jobs.submit(opened, { name: 'two nights', signal: stop.signal });
    const runIds = opened.map(({ runId }) => runId);
    const [runId = ''] = runIds;
    const state = async (id = runId) => (await store.load(id)).state;
    return { jobs, store, runId, runIds, requests, state };
  };
  const away = () =>
    Promise.reject(new WorkbenchError('engine-unavailable', 'The kubeconfig has no context "test"'));

  it('has its Job in its journal before the next one is created, and Ctrl-C is heard between them', async () => {
    const { runIds, requests, state } = await inCluster(status({}), {}, 3);
    expect(requests.map((request) => request.runIds)).toEqual(runIds.slice(0, 2).map((runId) => [runId]));
    const ids = await Promise.all(runIds.map(async (runId) => (await state(runId)).job?.id ?? null));
    expect(ids).toEqual(['ml/tw-0', 'ml/tw-1', null]);
  });

  it('is given up where the cluster is gone, with how to end a Job that may still be there', async () => {
    const { jobs, runId, state } = await inCluster(status({}), { readStatuses: away, cancel: away });
    expect((await state()).status).toBe('running');
    expect((await rejection(jobs.pause(runId))).code).toBe('engine-unavailable');
    expect(await jobs.cancel(runId)).toBe(true);
    expect(await state()).toMatchObject({
      status: 'cancelled',
      error: {
        message: 'Cancelled. Kubernetes job ml/tw-0 may still exist: The kubeconfig has no context "test"',
        remedy: 'End it with: kubectl --context test --namespace ml delete job tw-0.',
      },
    });
  });

  it('was ended by its deadline where the cluster says so and the pod only that it was stopped', async () => {
    const { jobs, store, runId, state } = await inCluster(
      status({ phase: 'ended', end: 'time-limit', node: 'n1' }),
    );
    await store.append(runId, { type: 'run-started', attempt: 1, pid: 1, node: 'n1' });
    await store.append(runId, { type: 'job-ended', id: 'ml/tw-0', end: 'stopped', node: 'n1' });
    await store.append(runId, { type: 'run-finished', outcome: 'paused' });
    // In the list before anybody has written it down.
    expect((await state()).job).toMatchObject({ end: 'time-limit', node: 'n1' });
    const written = async () => (await runStore(join(dir, 'runs'), join(dir, 'run-key')).load(runId)).state;
    expect((await written()).job?.end).toBe('stopped');
    expect(await jobs.follow(runId)).toMatchObject({ outcome: 'paused' });
    expect((await written()).job).toMatchObject({ end: 'time-limit', node: 'n1' });
  });
});
