import type { V1Job, V1JobCondition, V1Pod } from '@kubernetes/client-node';
import { WorkbenchError } from '../../contract/errors';
import type { JobEnd, JobStatus, RunJob } from '../../contract/job/run-job';
import type { JobScheduler } from '../job';
import { runContainer } from './job-manifest';
import { clientOf, type KubeClient, KubeRefusal } from './kube-client';

/** Minimum interval; requests are batched to spare the API server. */
const pollEveryMs = 2000;

interface StatusReaderOptions {
  readonly clients: (context: string | undefined) => Promise<KubeClient>;
  readonly selector: string;
}

/** Jobs and pods of the home in a namespace. */
interface Seen {
  readonly client: KubeClient;
  readonly jobs: ReadonlyMap<string, V1Job>;
  readonly pods: readonly V1Pod[];
}

const placeOf = ({ id, partition, server }: RunJob): string =>
  [partition ?? '', server ?? '', id.split('/')[0] ?? ''].join('\n');

/** Batches requests per namespace, at most one every 2 s. */
export function createStatusReader({ clients, selector }: StatusReaderOptions): JobScheduler['readStatuses'] {
  const kept = new Map<string, { readonly at: number; readonly seen: Promise<Seen> }>();
  const ask = async (place: string): Promise<Seen> => {
    const [context = '', server = '', namespace = ''] = place.split('\n');
    const client = await clientOf(clients, {
      partition: context === '' ? null : context,
      ...(server === '' ? {} : { server }),
    });
    try {
      const [jobs, pods] = await Promise.all([
        client.jobs(namespace, selector),
        client.pods(namespace, selector),
      ]);
      return { client, pods, jobs: new Map(jobs.map((job) => [job.metadata?.name ?? '', job])) };
    } catch (error) {
      if (!(error instanceof KubeRefusal)) throw error;
      throw new WorkbenchError('engine-unavailable', `Kubernetes does not list the jobs: ${error.message}`, {
        remedy: `The workbench needs to list jobs and pods in the namespace ${namespace}.`,
      });
    }
  };
  const recent = (place: string, isFresh: (seen: Seen) => boolean): Promise<Seen> => {
    const now = performance.now();
    const again = () => {
      const seen = ask(place);
      kept.set(place, { at: now, seen });
      seen.catch(() => kept.delete(place));
      return seen;
    };
    const known = kept.get(place);
    if (known === undefined || now - known.at >= pollEveryMs) return again();
    // A poll from before a submission does not know the job.
    return known.seen.then((seen) => (isFresh(seen) ? seen : again()));
  };
  /** Jobs that the server confirmed as deleted. */
  const gone = new Set<string>();
  return async (asked) => {
    const found = new Map<string, JobStatus>();
    for (const place of new Set(asked.map(placeOf))) {
      const own = asked.filter((job) => placeOf(job) === place);
      const seen = await recent(place, ({ jobs }) =>
        own.every(({ id, name }) => jobs.has(name) || gone.has(id)),
      );
      for (const { id, name, partition } of own) {
        const job = seen.jobs.get(name);
        if (job === undefined) {
          gone.add(id);
          continue;
        }
        found.set(id, jobStatusOf(job, seen.pods, partition ?? seen.client.context));
      }
    }
    return found;
  };
}

type Part = Pick<JobStatus, 'phase' | 'reason' | 'node' | 'end'> & { readonly message?: string };

const isTrue = ({ status }: { readonly status: string }): boolean => status === 'True';
const conditionOf = (job: V1Job, type: string): V1JobCondition | undefined =>
  job.status?.conditions?.find((one) => one.type === type && isTrue(one));

/** Reasons in a pod's status, from kubelet and node controller. */
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

/** null if only the exit code tells. */
function endOfPod(pod: V1Pod): JobEnd | null {
  const reason = pod.status?.reason ?? '';
  const conditions = pod.status?.conditions ?? [];
  const terminated = containerOf(pod)?.state?.terminated;
  if (terminated?.reason === 'OOMKilled') return 'out-of-memory';
  const disruption = conditions.find((one) => one.type === 'DisruptionTarget' && isTrue(one));
  return podEnds[reason] ?? disruptions[disruption?.reason ?? ''] ?? null;
}

/** The last line of an ended container's message, or the reason without one. */
function messageOf(pod: V1Pod | null, fallback: string | undefined): string | undefined {
  const said = pod === null ? undefined : containerOf(pod)?.state?.terminated?.message?.trim();
  const found = [said, pod?.status?.message, fallback].find((text) => text !== undefined && text !== '');
  return found?.slice(0, 2000);
}

function endedStatus(job: V1Job, pod: V1Pod | null, node: string | null): Part | null {
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

/** Normal progress on a node, which needs no message. */
const underWay: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** "Unschedulable: 0/3 nodes are available"; null without both. */
const wordsOf = (...parts: readonly (string | undefined)[]): string | null =>
  parts.filter((part) => part !== undefined && part !== '').join(': ') || null;

/** Why a pod has not started. */
function pendingStatus(pod: V1Pod, node: string | null): Part {
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

function podStatus(pod: V1Pod, node: string | null): Part {
  const phase = pod.status?.phase;
  const ending: Part = { phase: 'ending', reason: null, node, end: null };
  if (pod.metadata?.deletionTimestamp !== undefined) return ending;
  if (phase === 'Running') return { ...ending, phase: 'running' };
  // The Job will report it or start another pod.
  return phase === 'Failed' || phase === 'Succeeded' ? ending : pendingStatus(pod, node);
}

/** A controller normally creates a Job's pod at once. */
const podlessMs = 10_000;

const createdAt = ({ metadata }: V1Pod): number => metadata?.creationTimestamp?.getTime() ?? 0;

/** The current or last pod of a Job, or null. */
function podOfJob(job: V1Job, pods: readonly V1Pod[]): V1Pod | null {
  const own = pods.filter(({ metadata }) =>
    metadata?.ownerReferences?.some(({ uid }) => uid === job.metadata?.uid),
  );
  return [...own].sort((one, other) => createdAt(other) - createdAt(one))[0] ?? null;
}

/** Quotas or pod security may prevent a pod; only events of the Job report it. */
function podlessReason(job: V1Job, now: number): string | null {
  const { metadata } = job;
  const suspended = conditionOf(job, 'Suspended');
  if (suspended !== undefined) return suspended.reason ?? 'Suspended';
  const ageMs = now - (metadata?.creationTimestamp?.getTime() ?? now);
  return ageMs < podlessMs ? null : `no pod yet; see kubectl describe job ${metadata?.name ?? ''}`;
}

/** @param now milliseconds, for the age of the Job */
export function jobStatusOf(
  job: V1Job,
  pods: readonly V1Pod[],
  context: string,
  now = Date.now(),
): JobStatus {
  const pod = podOfJob(job, pods);
  const node = pod?.spec?.nodeName ?? null;
  const waiting: Part = { phase: 'queued', reason: podlessReason(job, now), node: null, end: null };
  const isDeleted = job.metadata?.deletionTimestamp !== undefined;
  const part =
    endedStatus(job, pod, node) ??
    (isDeleted ? { phase: 'ending' as const, reason: null, node, end: null } : null) ??
    (pod === null ? waiting : podStatus(pod, node));
  return { ...part, name: job.metadata?.name ?? '', partition: context };
}
