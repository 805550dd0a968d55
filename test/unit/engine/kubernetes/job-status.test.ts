import { loadYaml, type V1Job, type V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { jobStatusOf } from '../../../../main/engine/kubernetes/job-status';
import { type RecordedJob, recordedJob } from '../../../support/kube-api';

/** As the client gives them. */
const statusOf = ({ job, pods }: RecordedJob, now?: number) =>
  jobStatusOf(
    loadYaml<V1Job>(JSON.stringify(job)),
    pods.map((pod) => loadYaml<V1Pod>(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }))),
    'test',
    now,
  );

/** The recorded Job that has failed, with another status of its pod, as the API reference documents it. */
const failedWith = async (status: Readonly<Record<string, unknown>>) => {
  const { job, pods } = await recordedJob('recorded-deadline');
  return statusOf({ job, pods: pods.map((pod) => ({ ...pod, status: { phase: 'Failed', ...status } })) });
};
const disrupted = (reason: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason }],
});
const terminated = (state: Readonly<Record<string, unknown>>) => ({
  containerStatuses: [
    { name: 'run', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated: state } },
  ],
});

describe('what a Job and its pod say', () => {
  it.each([
    [
      'unschedulable',
      'queued',
      'Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.',
      null,
    ],
    ['image-pull', 'queued', 'ImagePullBackOff: Back-off pulling image "localhost:1/none:1"', null],
    ['running', 'running', null, null],
    ['replaced', 'running', null, null],
    ['finished', 'ended', null, 'finished'],
    ['deadline', 'ended', null, 'time-limit'],
  ])('is for a recorded Job that is %s: %s (%s), %s', async (name, phase, reason, end) => {
    const recorded = await recordedJob(`recorded-${name}`);
    const status = statusOf(recorded);
    expect([status.phase, status.reason, status.end]).toEqual([phase, reason, end]);
    expect([status.name, status.partition]).toEqual([recorded.job.metadata.name, 'test']);
    expect(status.node).toBe(name === 'unschedulable' ? null : 'node-a');
  });

  it('has the words of a pod that failed', async () => {
    const { pods, job } = await recordedJob('recorded-deadline');
    expect(statusOf({ job, pods }).message).toBe(
      'Pod was active on the node longer than the specified deadline',
    );
    const status = await failedWith(
      terminated({ exitCode: 2, reason: 'Error', message: 'Run x is not in /mnt.\n' }),
    );
    expect([status.end, status.message]).toEqual(['failed', 'Run x is not in /mnt.']);
  });

  it.each([
    [{ reason: 'Evicted', message: 'The node was low on resource: memory.' }, 'evicted'],
    [{ reason: 'NodeLost' }, 'node-failure'],
    [{ reason: 'Preempting' }, 'preempted'],
    [disrupted('PreemptionByScheduler'), 'preempted'],
    [disrupted('EvictionByEvictionAPI'), 'evicted'],
    [disrupted('DeletionByPodGC'), 'node-failure'],
    [terminated({ exitCode: 137, reason: 'OOMKilled' }), 'out-of-memory'],
    [{}, 'failed'],
  ])('is for a pod as documented with %j: %s', async (status, end) => {
    expect((await failedWith(status)).end).toBe(end);
  });

  it('is of the container of the run, and not of what a cluster adds to its pod', async () => {
    const { containerStatuses } = terminated({ exitCode: 137, reason: 'OOMKilled', message: 'mine' });
    const sidecar = { ...containerStatuses[0], name: 'istio-proxy', state: { terminated: { exitCode: 0 } } };
    const status = await failedWith({ containerStatuses: [sidecar, ...containerStatuses] });
    expect([status.end, status.message]).toEqual(['out-of-memory', 'mine']);
  });

  it('is that it ends where its pod or itself is deleted', async () => {
    const { job, pods } = await recordedJob('recorded-replaced');
    const deleted = pods.filter(({ metadata }) => 'deletionTimestamp' in (metadata as object));
    expect(deleted).toHaveLength(1);
    expect(statusOf({ job, pods: deleted }).phase).toBe('ending');
    const metadata = { ...job.metadata, deletionTimestamp: '2026-11-26T04:05:00Z' };
    expect(statusOf({ job: { ...job, metadata }, pods }).phase).toBe('ending');
  });

  it('is of the newest pod, and of a Job without one that it is queued', async () => {
    const { job, pods } = await recordedJob('recorded-running');
    const [pod] = pods;
    const metadata = pod?.['metadata'] as Readonly<Record<string, unknown>>;
    const older = {
      ...pod,
      metadata: { ...metadata, creationTimestamp: '2020-01-01T00:00:00Z' },
      status: { phase: 'Failed' },
    };
    expect(statusOf({ job, pods: [older, ...pods] }).phase).toBe('running');
    const created = Date.parse(String(job.metadata['creationTimestamp']));
    expect(statusOf({ job, pods: [] }, created + 1000)).toMatchObject({ phase: 'queued', reason: null });
    // A quota or the security of pods may be against it.
    expect(statusOf({ job, pods: [] }, created + 60_000).reason).toBe(
      `no pod yet; see kubectl describe job ${job.metadata.name}`,
    );
    const suspended = { conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended' }] };
    expect(statusOf({ job: { ...job, status: suspended }, pods: [] }).reason).toBe('JobSuspended');
    expect(
      statusOf({ job, pods: [{ ...pod, metadata: { ...metadata, ownerReferences: [] } }] }).node,
    ).toBeNull();
  });
});
