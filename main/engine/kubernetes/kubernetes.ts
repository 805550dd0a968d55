import { createHash, randomBytes } from 'node:crypto';
import { isAbsolute, relative } from 'node:path';
import type { V1Node } from '@kubernetes/client-node';
import { toWire, WorkbenchError } from '../../contract/errors';
import type { KubernetesEngineSpec } from '../../contract/job/job-engines';
import { endCommand, type RunJob } from '../../contract/job/run-job';
import type { EngineStatus } from '../../contract/machine';
import { exists } from '../../platform/files';
import type { JobScheduler } from '../job';
import { jobManifest, selectorOf } from './job-manifest';
import { createStatusReader } from './job-status';
import { asked, clientOf, createKubeClients, type KubeClient, KubeRefusal } from './kube-client';

interface KubernetesOptions {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Timeout per cluster, because the machine page waits for all of them. */
const detectMs = 2500;

const labelOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');

const refused = ({ message }: KubeRefusal) =>
  new WorkbenchError('job-refused', `Kubernetes rejected the Job: ${message}`, { where: 'engine' });

const notDeleted = ({ message, status }: KubeRefusal, job: RunJob, { kubectl }: KubeClient) =>
  new WorkbenchError('engine-unavailable', `Kubernetes does not delete the Job ${job.id}: ${message}`, {
    remedy:
      status === 403
        ? `The workbench needs to delete jobs in the namespace: ${kubectl} auth can-i delete jobs.`
        : `Try again later, or use: ${endCommand(job)}.`,
  });

/** Device resources use the vendor's domain: "nvidia.com/gpu", "nvidia.com/mig-1g.10gb". */
const isGpu = (name: string): boolean => /^(nvidia|amd|gpu\.intel)\.com\//.test(name);

/** "3 nodes, 8 nvidia.com/gpu". */
function nodesText(nodes: readonly V1Node[]): string {
  const gpus = new Map<string, number>();
  for (const { status, spec } of nodes) {
    if (spec?.unschedulable === true) continue;
    for (const [name, amount] of Object.entries(status?.allocatable ?? {})) {
      if (isGpu(name)) gpus.set(name, (gpus.get(name) ?? 0) + (/^\d+$/.test(amount) ? Number(amount) : 0));
    }
  }
  const devices = [...gpus].filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`);
  return [`${nodes.length} node${nodes.length === 1 ? '' : 's'}`, ...devices].join(', ');
}

async function statusOf(client: KubeClient): Promise<EngineStatus> {
  const [version, nodes] = await Promise.all([
    asked(client.context, client.version(), detectMs),
    // Listing nodes is often forbidden.
    asked(client.context, client.nodes(), detectMs).catch(() => null),
  ]);
  const place = `Context ${client.context}, namespace ${client.namespace}`;
  const note = `${place}${nodes === null ? '' : `; ${nodesText(nodes)}`}.`;
  return { kind: 'kubernetes', available: true, version: version.replace(/^v/, ''), note, remedy: null };
}

type Refusal = Awaited<ReturnType<JobScheduler['refusal']>>;

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};

/** Checks that need no cluster; null if all pass. */
async function refusalHere(engine: KubernetesEngineSpec, home: string): Promise<Refusal> {
  const { image, claim, mountPath } = engine;
  if (image === undefined) {
    return {
      field: 'engine.image',
      message: 'The Job has no container image',
      remedy: 'Set an image that has triton-workbench, or a profile with one.',
    };
  }
  if (claim === undefined) {
    return {
      field: 'engine.claim',
      message: 'The Job has no volume with the workbench home',
      remedy: 'Set the persistent volume claim that holds the workbench home, or a profile with one.',
    };
  }
  if (mountPath === undefined || !(await exists(mountPath))) {
    return {
      field: 'engine.mountPath',
      message:
        mountPath === undefined
          ? `The mount path of the volume of ${claim} on this machine is not set`
          : `${mountPath} does not exist on this machine`,
      remedy: `Mount the volume of the claim ${claim} on this machine, and set its path: the pod has it at the same one.`,
    };
  }
  if (isBelow(mountPath, home)) return null;
  return {
    field: 'engine.mountPath',
    message: `The workbench home ${home} is not on the volume that is mounted at ${mountPath}`,
    remedy: `Move the home into ${mountPath} on the Settings page, or set TRITON_WORKBENCH_HOME to a folder in it.`,
  };
}

/** null if the namespace has the claim. Throws KubeRefusal. */
async function claimRefusal(client: KubeClient, namespace: string, claim: string): Promise<Refusal> {
  if ((await client.claim(namespace, claim)) !== null) return null;
  return {
    field: 'engine.claim',
    message: `The namespace ${namespace} has no persistent volume claim ${claim}`,
    remedy: `Create it, or choose one of: ${client.kubectl} --namespace ${namespace} get pvc.`,
  };
}

/** One Job per run, on clusters of the user's kubeconfig. */
export function createKubernetes({ home, env }: KubernetesOptions): JobScheduler<KubernetesEngineSpec> {
  const clients = createKubeClients(env);
  const homeId = createHash('sha256').update(home).digest('hex').slice(0, 12);
  // Like a Slurm job, it runs as the home's owner.
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const place = async (engine: KubernetesEngineSpec) => {
    const client = await clients(engine.context);
    const namespace = engine.namespace ?? client.namespace;
    const manifestOf = (name: string, runId: string) =>
      jobManifest({ engine, namespace, name, runId, home, homeId, user });
    return { client, namespace, manifestOf };
  };
  return {
    detect: async () => {
      try {
        return [await statusOf(await clients(undefined))];
      } catch (error) {
        const { message, remedy = null } = toWire(error);
        return [{ kind: 'kubernetes', available: false, version: null, note: message, remedy }];
      }
    },
    refusal: async (engine) => {
      try {
        const here = await refusalHere(engine, home);
        if (here !== null) return here;
        const { client, namespace, manifestOf } = await place(engine);
        const there = await claimRefusal(client, namespace, engine.claim ?? '');
        if (there !== null) return there;
        // Finds other objections: permissions, policies, invalid fields.
        await client.createJob(namespace, manifestOf('tw-check', 'check'), true);
        return null;
      } catch (error) {
        if (!(error instanceof KubeRefusal)) throw error;
        return { field: 'engine.kind', message: refused(error).message };
      }
    },
    submit: async ({ runIds, engine }) => {
      const { client, namespace, manifestOf } = await place(engine);
      const jobs: RunJob[] = [];
      try {
        for (const runId of runIds) {
          const name = `tw-${labelOf(runId)}-${randomBytes(3).toString('hex')}`;
          const id = `${namespace}/${name}`;
          // Logged before creation: if the response is lost, the Job may still exist.
          const log = `${client.kubectl} --namespace ${namespace} logs job/${name}`;
          const { context: partition, server } = client;
          jobs.push({ scheduler: 'kubernetes', id, name, log, partition, server });
          await client.createJob(namespace, manifestOf(name, runId));
        }
      } catch (error) {
        for (const { name } of jobs) await client.deleteJob(namespace, name).catch(() => undefined);
        throw error instanceof KubeRefusal ? refused(error) : error;
      }
      return jobs;
    },
    readStatuses: createStatusReader({ clients, selector: selectorOf(homeId) }),
    cancel: async (jobs) => {
      for (const job of jobs) {
        const client = await clientOf(clients, job);
        const namespace = job.id.split('/')[0] ?? client.namespace;
        await client.deleteJob(namespace, job.name).catch((error: unknown) => {
          throw error instanceof KubeRefusal ? notDeleted(error, job, client) : error;
        });
      }
    },
  };
}
