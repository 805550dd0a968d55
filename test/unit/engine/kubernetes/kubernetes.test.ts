import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunJob } from '../../../../main/contract/job/run-job';
import { createKubernetes } from '../../../../main/engine/kubernetes/kubernetes';
import { type KubeApi, listOf, recordedJob, startKubeApi } from '../../../support/kube-api';
import { rejection } from '../../../support/rejection';

let api: KubeApi;
beforeEach(async () => {
  api = await startKubeApi();
});
afterEach(() => api.stop());

const jobsPath = '/apis/batch/v1/namespaces/ml/jobs';
const podsPath = '/api/v1/namespaces/ml/pods';
const claimPath = '/api/v1/namespaces/ml/persistentvolumeclaims/home';

const kubernetes = (home = join(api.home, 'workbench')) => createKubernetes({ home, env: api.env });
const engine = () => ({
  ...({ kind: 'kubernetes', image: 'test/machine:1', claim: 'home' } as const),
  mountPath: api.home,
});
const request = (...runIds: readonly string[]) => ({
  ...{ name: 'tw-night', runIds, engine: engine(), program: { argv: [], env: {} } },
});
const asked = () => api.requests.map(({ method, path }) => `${method} ${path}`);
const jobOf = (name: string, partition = 'test'): RunJob => ({
  ...{
    scheduler: 'kubernetes',
    id: `ml/${name}`,
    name,
    log: `kubectl --context test --namespace ml logs job/${name}`,
    partition,
  },
});

describe('Kubernetes', () => {
  it('is available with its version, context and nodes', async () => {
    api.answers.set('GET /version', () => ({ gitVersion: 'v1.20.2', major: '1', minor: '20' }));
    const status = { allocatable: { cpu: '8', 'nvidia.com/gpu': '4' } };
    api.answers.set('GET /api/v1/nodes', () =>
      listOf('NodeList', [
        { metadata: { name: 'a' }, status },
        { metadata: { name: 'b' }, spec: { unschedulable: true }, status },
      ]),
    );
    expect(await kubernetes().detect()).toEqual([
      {
        ...{ kind: 'kubernetes', available: true, version: '1.20.2', remedy: null },
        note: 'Context test, namespace ml; 2 nodes, 4 nvidia.com/gpu.',
      },
    ]);
    expect(api.requests[0]?.authorization).toBe('Bearer a-token');
  });

  it('is available to who may not list nodes, and not without a server or a kubeconfig', async () => {
    api.answers.set('GET /version', () => ({ gitVersion: 'v1.20.2', major: '1', minor: '20' }));
    api.answers.set('GET /api/v1/nodes', () => ({ status: 403, message: 'nodes is forbidden' }));
    expect((await kubernetes().detect())[0]?.note).toBe('Context test, namespace ml.');
    api.answers.set('GET /version', () => ({ status: 401, message: 'Unauthorized' }));
    const [shut] = await kubernetes().detect();
    expect([shut?.available, shut?.note]).toEqual([
      false,
      'The Kubernetes API of test does not answer: Unauthorized',
    ]);
    const [none] = await createKubernetes({ home: '/h', env: { HOME: api.home } }).detect();
    expect(none).toMatchObject({ available: false, note: 'No kubeconfig on this machine' });
  });

  it('takes a Job for each run, and says what its names are', async () => {
    api.answers.set(`POST ${jobsPath}`, ({ body }) => body as Record<string, unknown>);
    const jobs = await kubernetes().submit(request('20261126-RUN_a', '20261126-run-b'));
    const [first, second] = jobs;
    expect(first?.name).toMatch(/^tw-20261126-run-a-[0-9a-f]{6}$/);
    expect(first).toMatchObject({
      scheduler: 'kubernetes',
      id: `ml/${first?.name ?? ''}`,
      partition: 'test',
      server: api.server,
    });
    expect(first?.log).toBe(`kubectl --context test --namespace ml logs job/${first?.name ?? ''}`);
    expect(second?.name).not.toBe(first?.name);
    expect(api.requests.map(({ body }) => body)).toMatchObject([
      {
        kind: 'Job',
        metadata: { name: first?.name, annotations: { 'triton-workbench/run': '20261126-RUN_a' } },
      },
      { kind: 'Job', metadata: { name: second?.name } },
    ]);
  });

  it('is asked without a context from a pod, where kubectl has none either', async () => {
    api.answers.set(`POST ${jobsPath}`, ({ body }) => body as Record<string, unknown>);
    const config = await readFile(join(api.home, 'config'), 'utf8');
    // As the client calls what a pod has without a kubeconfig.
    await writeFile(
      join(api.home, 'config'),
      config
        .replaceAll('"name":"test"', '"name":"inClusterContext"')
        .replaceAll(/"(cluster|user|current-context)":"test"/g, '"$1":"inClusterContext"'),
    );
    const [job] = await kubernetes().submit(request('run-a'));
    expect(job?.log).toBe(`kubectl --namespace ml logs job/${job?.name ?? ''}`);
  });

  it('takes back what it has created where the cluster refuses the next', async () => {
    const created: string[] = [];
    api.answers.set(`POST ${jobsPath}`, ({ body }) => {
      const { metadata } = body as { readonly metadata: { readonly name: string } };
      if (created.length === 1) return { status: 403, message: 'exceeded quota: count/jobs.batch=1' };
      created.push(metadata.name);
      return body as Record<string, unknown>;
    });
    const error = await rejection(kubernetes().submit(request('run-a', 'run-b')));
    expect([error.code, error.message]).toEqual([
      'job-refused',
      'Kubernetes rejected the Job: exceeded quota: count/jobs.batch=1',
    ]);
    expect(asked()).toContain(`DELETE ${jobsPath}/${created[0] ?? ''}`);
  });

  it('deletes a Job with its pods, and minds none that is gone', async () => {
    await kubernetes().cancel([jobOf('tw-a')]);
    expect(api.requests).toMatchObject([
      { method: 'DELETE', path: `${jobsPath}/tw-a`, query: { propagationPolicy: 'Background' } },
    ]);
  });

  it.each([
    [
      403,
      'jobs.batch is forbidden',
      /^The workbench needs to delete jobs .*: kubectl --context test auth can-i/,
    ],
    [
      429,
      'too many requests',
      /^Try again later, or use: kubectl --context test --namespace ml delete job tw-a\.$/,
    ],
    [503, 'unavailable', /^Try again later/],
  ])('cannot be told to end a Job where it says %i', async (status, message, remedy) => {
    api.answers.set(`DELETE ${jobsPath}/tw-a`, () => ({ status, message }));
    const error = await rejection(kubernetes().cancel([jobOf('tw-a')]));
    expect([error.code, error.message]).toEqual([
      'engine-unavailable',
      `Kubernetes does not delete the Job ml/tw-a: ${message}`,
    ]);
    expect(error.remedy).toMatch(remedy);
  });

  it('is not asked about the Job of another cluster that had the same context', async () => {
    const job = { ...jobOf('tw-a'), server: 'https://10.0.0.1:6443' };
    for (const asking of [() => kubernetes().cancel([job]), () => kubernetes().readStatuses([job])]) {
      const error = await rejection(asking());
      expect([error.code, error.message]).toEqual([
        'engine-unavailable',
        `The context test now leads to ${api.server}, but the Job is in the cluster at https://10.0.0.1:6443`,
      ]);
    }
    expect(api.requests).toEqual([]);
    await kubernetes().cancel([{ ...job, server: api.server }]);
    expect(api.requests).toHaveLength(1);
  });

  it('is asked once about all jobs of a namespace', async () => {
    const [running, queued] = await Promise.all([
      recordedJob('recorded-running'),
      recordedJob('recorded-unschedulable'),
    ]);
    api.answers.set(`GET ${jobsPath}`, () => listOf('JobList', [running.job, queued.job]));
    api.answers.set(`GET ${podsPath}`, () => listOf('PodList', [...running.pods, ...queued.pods]));
    const jobs = [running, queued].map(({ job }) => jobOf(job.metadata.name));
    const scheduler = kubernetes();
    const statuses = await Promise.all(jobs.map((job) => scheduler.readStatuses([job])));
    expect(statuses.map((status, at) => status.get(jobs[at]?.id ?? '')?.phase)).toEqual([
      'running',
      'queued',
    ]);
    expect((await scheduler.readStatuses([jobOf('tw-none')])).size).toBe(0);
    // Once before and once after the job that nobody had seen.
    await scheduler.readStatuses([jobOf('tw-none')]);
    expect(asked().filter((line) => line.endsWith('/jobs'))).toHaveLength(2);
    expect(api.requests[0]?.query['labelSelector']).toMatch(
      /^app\.kubernetes\.io\/managed-by=triton-workbench,app\.kubernetes\.io\/instance=[0-9a-f]{12}$/,
    );
  });

  it('says what it lacks to list the jobs', async () => {
    api.answers.set(`GET ${jobsPath}`, () => ({ status: 403, message: 'jobs.batch is forbidden' }));
    const error = await rejection(kubernetes().readStatuses([jobOf('tw-a')]));
    expect([error.code, error.message]).toEqual([
      'engine-unavailable',
      'Kubernetes does not list the jobs: jobs.batch is forbidden',
    ]);
    const unknown = await rejection(kubernetes().readStatuses([jobOf('tw-a', 'gone')]));
    expect([unknown.message, unknown.remedy]).toEqual([
      'The kubeconfig has no context "gone"',
      'Its contexts are test, other.',
    ]);
  });
});

describe('what would keep Kubernetes from taking a Job', () => {
  it('is nothing where the server takes it in a dry run', async () => {
    api.answers.set(`GET ${claimPath}`, () => ({
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'home' },
    }));
    api.answers.set(`POST ${jobsPath}`, ({ body }) => body as Record<string, unknown>);
    expect(await kubernetes().refusal(engine())).toBeNull();
    expect(api.requests.at(-1)?.query).toEqual({ dryRun: 'All' });
  });

  it.each([
    ['engine.image', { image: undefined }, 'The Job has no container image'],
    ['engine.claim', { claim: undefined }, 'The Job has no volume with the workbench home'],
    [
      'engine.mountPath',
      { mountPath: undefined },
      'The mount path of the volume of home on this machine is not set',
    ],
    ['engine.mountPath', { mountPath: '/nowhere/at/all' }, '/nowhere/at/all does not exist'],
    ['engine.mountPath', { mountPath: '/usr' }, 'is not on the volume that is mounted at /usr'],
    ['engine.claim', {}, 'The namespace ml has no persistent volume claim home'],
  ])('names %s: %j', async (field, change, message) => {
    const refusal = await kubernetes().refusal({ ...engine(), ...change });
    expect([refusal?.field, refusal?.message]).toEqual([field, expect.stringContaining(message)]);
    expect(refusal?.remedy).toBeTruthy();
  });

  it('is what its admission says', async () => {
    api.answers.set(`GET ${claimPath}`, () => ({
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'home' },
    }));
    api.answers.set(`POST ${jobsPath}`, () => ({ status: 422, message: 'Job.batch "tw-check" is invalid' }));
    expect((await kubernetes().refusal(engine()))?.message).toBe(
      'Kubernetes rejected the Job: Job.batch "tw-check" is invalid',
    );
  });
});

describe('several kubeconfig files', () => {
  const file = async (name: string, content: Readonly<Record<string, unknown>>) => {
    const path = join(api.home, name);
    await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...content }));
    return path;
  };
  const noteOf = async (files: readonly string[]) => {
    api.answers.set('GET /version', () => ({ gitVersion: 'v1.20.2', major: '1', minor: '20' }));
    const [status] = await createKubernetes({ home: '/h', env: { KUBECONFIG: files.join(':') } }).detect();
    return status?.note;
  };
  const elsewhere = { server: 'http://127.0.0.1:1' };
  /** Names that the file of the test has as well, and one of its own. */
  const repeated = () =>
    file('repeated', {
      'current-context': 'mine',
      clusters: [
        { name: 'test', cluster: elsewhere },
        { name: 'mine', cluster: { server: api.server, 'insecure-skip-tls-verify': true } },
      ],
      users: [
        { name: 'test', user: { token: 'another' } },
        { name: 'mine', user: { token: 'my-token' } },
      ],
      contexts: [
        { name: 'test', context: { cluster: 'test', user: 'test', namespace: 'wrong' } },
        { name: 'mine', context: { cluster: 'mine', user: 'mine', namespace: 'own' } },
      ],
    });
  const main = () => join(api.home, 'config');

  it('are merged by the first word about each name, with the first current context', async () => {
    const second = await repeated();
    expect(await noteOf([main(), second])).toBe('Context test, namespace ml.');
    expect(api.requests.at(-1)?.authorization).toBe('Bearer a-token');
    expect(await noteOf([second, main()])).toBe('Context mine, namespace own.');
    expect(api.requests.at(-1)?.authorization).toBe('Bearer my-token');
  });

  it.each([
    ['has none', {}],
    ['has an empty one', { 'current-context': '' }],
  ])('have the current context of the next where the first %s', async (_what, current) => {
    const first = await file('first', {
      ...current,
      clusters: [{ name: 'far', cluster: elsewhere }],
      contexts: [{ name: 'far', context: { cluster: 'far', user: 'far' } }],
    });
    expect(await noteOf([first, main()])).toBe('Context test, namespace ml.');
    expect(await noteOf([first])).toBe('The kubeconfig has no current context');
  });
});

describe('an API server that does not answer', () => {
  it('is given up soon when the machine is looked at', async () => {
    api.answers.set('GET /version', () => 'never');
    const [status] = await kubernetes().detect();
    expect(status).toMatchObject({
      available: false,
      note: 'The Kubernetes API of test does not answer: no answer within 2.5 s',
      remedy: 'Check it with: kubectl --context test version.',
    });
  });
});

describe('a kubeconfig', () => {
  it('is read again when it has changed', async () => {
    const scheduler = kubernetes();
    await scheduler.cancel([jobOf('tw-a')]);
    await writeFile(join(api.home, 'config'), 'contexts: [');
    expect((await rejection(scheduler.cancel([jobOf('tw-a')]))).message).toContain('cannot be read');
    await rm(join(api.home, 'config'));
    expect((await rejection(scheduler.cancel([jobOf('tw-a')]))).message).toContain('No kubeconfig');
  });
});
