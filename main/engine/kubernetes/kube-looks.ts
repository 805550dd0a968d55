import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { WorkbenchError } from '../../contract/errors';
import type { JobLook, RunJob } from '../../contract/job/run-job';
import type { JobScheduler } from '../job';
import { lookOf } from './job-look';
import { clientOf, type KubeClient, KubeRefusal } from './kube-client';

/** The API server serves everybody: all that this process wants to know is asked at once, and not more often. */
const lookEveryMs = 2000;

interface LooksOptions {
  readonly clients: (context: string | undefined) => Promise<KubeClient>;
  /** Of the jobs of this home, and of their pods. */
  readonly selector: string;
}

/** What a namespace of a context has of the home at this moment. */
interface Seen {
  readonly client: KubeClient;
  readonly jobs: ReadonlyMap<string, V1Job>;
  readonly pods: readonly V1Pod[];
}

const placeOf = ({ id, partition, server }: RunJob): string =>
  [partition ?? '', server ?? '', id.split('/')[0] ?? ''].join('\n');

/** All jobs of the home in the namespaces that are asked about, each asked at most every 2 s. */
export function createLooks({ clients, selector }: LooksOptions): JobScheduler['look'] {
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
    if (known === undefined || now - known.at >= lookEveryMs) return again();
    // What was asked before a job was submitted says nothing of it.
    return known.seen.then((seen) => (isFresh(seen) ? seen : again()));
  };
  /** Those whose absence the server has confirmed. */
  const gone = new Set<string>();
  return async (asked) => {
    const found = new Map<string, JobLook>();
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
        found.set(id, lookOf(job, seen.pods, partition ?? seen.client.context));
      }
    }
    return found;
  };
}
