import type { V1Job, V1JobCondition, V1Pod } from '@kubernetes/client-node';
import type { JobEnd, JobLook } from '../../contract/job/run-job';
import { runContainer } from './job-manifest';

type Part = Pick<JobLook, 'phase' | 'reason' | 'node' | 'end'> & { readonly message?: string };

const isTrue = ({ status }: { readonly status: string }): boolean => status === 'True';
const conditionOf = (job: V1Job, type: string): V1JobCondition | undefined =>
  job.status?.conditions?.find((one) => one.type === type && isTrue(one));

/** Reasons of a pod's status, as the kubelet and the node controller write them. */
const podEnds: Readonly<Record<string, JobEnd>> = {
  DeadlineExceeded: 'time-limit',
  Evicted: 'evicted',
  NodeAffinity: 'node-failure',
  NodeLost: 'node-failure',
  NodeShutdown: 'node-failure',
  Preempting: 'preempted',
  Terminated: 'node-failure',
};
/** Reasons of the condition DisruptionTarget. */
const disruptions: Readonly<Record<string, JobEnd>> = {
  PreemptionByScheduler: 'preempted',
  PreemptionByKubeScheduler: 'preempted',
  DeletionByTaintManager: 'evicted',
  DeletionByPodGC: 'node-failure',
  EvictionByEvictionAPI: 'evicted',
  TerminationByKubelet: 'evicted',
};

const containerOf = ({ status }: V1Pod) =>
  status?.containerStatuses?.find(({ name }) => name === runContainer);

/** Why a pod that has ended did; null where nothing but its exit code says it. */
function endOfPod(pod: V1Pod): JobEnd | null {
  const reason = pod.status?.reason ?? '';
  const conditions = pod.status?.conditions ?? [];
  const terminated = containerOf(pod)?.state?.terminated;
  if (terminated?.reason === 'OOMKilled') return 'out-of-memory';
  const disruption = conditions.find((one) => one.type === 'DisruptionTarget' && isTrue(one));
  return podEnds[reason] ?? disruptions[disruption?.reason ?? ''] ?? null;
}

/** The last line of what an ended container said, or why there is none. */
function messageOf(pod: V1Pod | null, fallback: string | undefined): string | undefined {
  const said = pod === null ? undefined : containerOf(pod)?.state?.terminated?.message?.trim();
  const found = [said, pod?.status?.message, fallback].find((text) => text !== undefined && text !== '');
  return found?.slice(0, 2000);
}

function endedLook(job: V1Job, pod: V1Pod | null, node: string | null): Part | null {
  if (conditionOf(job, 'Complete') !== undefined) {
    return { phase: 'ended', reason: null, node, end: 'finished' };
  }
  const failed = conditionOf(job, 'Failed');
  if (failed === undefined) return null;
  const end =
    failed.reason === 'DeadlineExceeded' ? 'time-limit' : ((pod === null ? null : endOfPod(pod)) ?? 'failed');
  const message = messageOf(pod, failed.message);
  return { phase: 'ended', reason: null, node, end, ...(message === undefined ? {} : { message }) };
}

/** On a node the image is pulled and the container made, which needs no word as long as it gets on. */
const underWay: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** "Unschedulable: 0/3 nodes are available"; null without either. */
const wordsOf = (...parts: readonly (string | undefined)[]): string | null =>
  parts.filter((part) => part !== undefined && part !== '').join(': ') || null;

/** Of a pod that has not begun: what keeps it from it. */
function pendingLook(pod: V1Pod, node: string | null): Part {
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (unscheduled !== undefined) {
    const reason = wordsOf(unscheduled.reason, unscheduled.message);
    return { phase: 'queued', reason, node: null, end: null };
  }
  const waiting = containerOf(pod)?.state?.waiting;
  if (waiting?.reason !== undefined && !underWay.has(waiting.reason)) {
    return { phase: 'queued', reason: wordsOf(waiting.reason, waiting.message), node, end: null };
  }
  return { phase: node === null ? 'queued' : 'running', reason: null, node, end: null };
}

function podLook(pod: V1Pod, node: string | null): Part {
  const phase = pod.status?.phase;
  const ending: Part = { phase: 'ending', reason: null, node, end: null };
  if (pod.metadata?.deletionTimestamp !== undefined) return ending;
  if (phase === 'Running') return { ...ending, phase: 'running' };
  // The Job says so next, or starts another pod.
  return phase === 'Failed' || phase === 'Succeeded' ? ending : pendingLook(pod, node);
}

/** A controller that may make the pod of a Job does so at once. */
const podlessMs = 10_000;

const createdAt = ({ metadata }: V1Pod): number => metadata?.creationTimestamp?.getTime() ?? 0;

/** The pod that a Job has now, or had last; null: none yet. */
function podOfJob(job: V1Job, pods: readonly V1Pod[]): V1Pod | null {
  const own = pods.filter(({ metadata }) =>
    metadata?.ownerReferences?.some(({ uid }) => uid === job.metadata?.uid),
  );
  return [...own].sort((one, other) => createdAt(other) - createdAt(one))[0] ?? null;
}

/** Of a Job without a pod: a quota or the security of pods may be against it, which only events of the Job say. */
function podlessReason(job: V1Job, now: number): string | null {
  const { metadata } = job;
  const suspended = conditionOf(job, 'Suspended');
  if (suspended !== undefined) return suspended.reason ?? 'Suspended';
  const ageMs = now - (metadata?.creationTimestamp?.getTime() ?? now);
  return ageMs < podlessMs ? null : `no pod yet; see kubectl describe job ${metadata?.name ?? ''}`;
}

/**
 * What a Job and its pod say together. Pure.
 * @param now in milliseconds, for the age of a Job
 */
export function lookOf(job: V1Job, pods: readonly V1Pod[], context: string, now = Date.now()): JobLook {
  const pod = podOfJob(job, pods);
  const node = pod?.spec?.nodeName ?? null;
  const waiting: Part = { phase: 'queued', reason: podlessReason(job, now), node: null, end: null };
  const isDeleted = job.metadata?.deletionTimestamp !== undefined;
  const part =
    endedLook(job, pod, node) ??
    (isDeleted ? { phase: 'ending' as const, reason: null, node, end: null } : null) ??
    (pod === null ? waiting : podLook(pod, node));
  return { ...part, name: job.metadata?.name ?? '', partition: context };
}
