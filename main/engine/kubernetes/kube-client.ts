import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { KubeConfig, V1Job, V1Node, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { WorkbenchError } from '../../contract/errors';
import { shellWord } from '../../contract/flag-text';
import type { RunJob } from '../../contract/job/run-job';
import { jsonOrNull } from '../../platform/parse-json';
import type { jobManifest } from './job-manifest';

/** API calls with one context of the user's kubeconfig. */
export interface KubeClient {
  readonly context: string;
  /** URL of the API server: contexts of different clusters may share a name. */
  readonly server: string;
  /** kubectl's equivalent: "kubectl --context NAME"; in a pod without a kubeconfig "kubectl". */
  readonly kubectl: string;
  /** Default namespace. */
  readonly namespace: string;
  version(): Promise<string>;
  nodes(): Promise<readonly V1Node[]>;
  /** null if it does not exist. */
  claim(namespace: string, name: string): Promise<V1PersistentVolumeClaim | null>;
  /** @param dryRun only validates on the server */
  createJob(namespace: string, job: JobManifest, dryRun?: boolean): Promise<void>;
  jobs(namespace: string, selector: string): Promise<readonly V1Job[]>;
  pods(namespace: string, selector: string): Promise<readonly V1Pod[]>;
  /** Also deletes its pods; no-op if it does not exist. */
  deleteJob(namespace: string, name: string): Promise<void>;
}

type JobManifest = ReturnType<typeof jobManifest>;

/** A refused request, with the API server's answer. */
export class KubeRefusal extends Error {
  override readonly name = 'KubeRefusal';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const patienceMs = 10_000;
/** The client's name for the in-pod configuration; kubectl has none. */
const inPodContext = 'inClusterContext';
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** current-context may be missing, which the types do not say. */
const isNamed = (context: string | undefined): boolean => context !== undefined && context !== '';

/** As kubectl: `KUBECONFIG`, else `~/.kube/config`. */
function kubeconfigFiles(env: NodeJS.ProcessEnv): readonly string[] {
  const { KUBECONFIG: listed = '', HOME: home = homedir() } = env;
  const files = listed.split(':').filter((file) => file !== '');
  return files.length > 0 ? files : [join(home, '.kube', 'config')];
}

const noConfig = () =>
  new WorkbenchError('engine-unavailable', 'No kubeconfig on this machine', {
    remedy: 'Set KUBECONFIG, or write ~/.kube/config: kubectl config view shows what is used.',
  });

const unreadable = (error: unknown) =>
  new WorkbenchError(
    'engine-unavailable',
    `The kubeconfig cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    { remedy: 'Check it with: kubectl config view.' },
  );

/** Adds entries by name; existing ones win. */
function mergeInto(config: KubeConfig, more: KubeConfig): void {
  const isNew = (own: readonly { readonly name: string }[]) => {
    const names = new Set(own.map(({ name }) => name));
    return ({ name }: { readonly name: string }) => !names.has(name);
  };
  more
    .getClusters()
    .filter(isNew(config.getClusters()))
    .forEach((one) => config.addCluster(one));
  more
    .getUsers()
    .filter(isNew(config.getUsers()))
    .forEach((one) => config.addUser(one));
  more
    .getContexts()
    .filter(isNew(config.getContexts()))
    .forEach((one) => config.addContext(one));
  if (!isNamed(config.getCurrentContext()) && isNamed(more.getCurrentContext())) {
    config.setCurrentContext(more.getCurrentContext());
  }
}

/** Merges the files like kubectl: the first definition wins. Throws engine-unavailable. */
async function readConfig(env: NodeJS.ProcessEnv): Promise<KubeConfig> {
  const named = kubeconfigFiles(env);
  const there = await Promise.all(named.map(isThere));
  const [first, ...others] = named.filter((_file, at) => there[at]);
  if (first === undefined && !(await isThere(serviceAccountToken))) throw noConfig();
  // Loaded on demand: megabytes of generated code.
  const { KubeConfig } = await import('@kubernetes/client-node');
  try {
    const config = new KubeConfig();
    if (first === undefined) config.loadFromCluster();
    else config.loadFromFile(first);
    for (const file of others) {
      const more = new KubeConfig();
      more.loadFromFile(file);
      mergeInto(config, more);
    }
    return config;
  } catch (error) {
    throw unreadable(error);
  }
}

/** kubectl's current context unless `wanted` names one. Throws engine-unavailable. */
function requireContext(config: KubeConfig, wanted: string | undefined): { name: string; namespace: string } {
  const current = config.getCurrentContext();
  const name = wanted ?? (isNamed(current) ? current : '');
  const found = config.getContextObject(name);
  if (found !== null && config.getCluster(found.cluster) !== null) {
    return { name, namespace: found.namespace ?? 'default' };
  }
  const known = config.getContexts().map((one) => one.name);
  const message =
    name === '' ? 'The kubeconfig has no current context' : `The kubeconfig has no context "${name}"`;
  const remedy = known.length === 0 ? 'Add a cluster to it.' : `Its contexts are ${known.join(', ')}.`;
  throw new WorkbenchError('engine-unavailable', message, { where: 'engine.context', remedy });
}

/** `message` of the Status, or the text. */
function wordsOf(body: unknown): string {
  const status = typeof body === 'string' ? jsonOrNull(body) : body;
  if (typeof status === 'object' && status !== null && 'message' in status) return String(status.message);
  return typeof body === 'string' ? body.slice(0, 500).trim() : '';
}

const kubectlOf = (context: string): string =>
  context === inPodContext ? 'kubectl' : `kubectl --context ${shellWord(context)}`;

const unavailable = (context: string, reason: string) =>
  new WorkbenchError('engine-unavailable', `The Kubernetes API of ${context} does not answer: ${reason}`, {
    remedy: `Check it with: ${kubectlOf(context)} version.`,
  });

/** Throws engine-unavailable naming the context, or KubeRefusal. */
export async function asked<Answer>(
  context: string,
  answer: Promise<Answer>,
  withinMs = patienceMs,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable(context, `no answer within ${withinMs / 1000} s`)), withinMs);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof WorkbenchError || error instanceof KubeRefusal) throw error;
    const { code, body } = error as { readonly code?: unknown; readonly body?: unknown };
    if (typeof code !== 'number') {
      throw unavailable(context, error instanceof Error ? error.message : String(error));
    }
    const words = wordsOf(body);
    if (code === 401) throw unavailable(context, words === '' ? 'Unauthorized' : words);
    throw new KubeRefusal(code, words === '' ? `HTTP ${code}` : words);
  } finally {
    clearTimeout(timer);
  }
}

/** null for 404. */
const orNull = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (error instanceof KubeRefusal && error.status === 404) return null;
    throw error;
  });

async function connect(config: KubeConfig, wanted: string | undefined): Promise<KubeClient> {
  const { BatchV1Api, CoreV1Api, loadYaml, VersionApi } = await import('@kubernetes/client-node');
  const { name: context, namespace } = requireContext(config, wanted);
  config.setCurrentContext(context);
  const core = config.makeApiClient(CoreV1Api);
  const batch = config.makeApiClient(BatchV1Api);
  const ask = <Answer>(answer: Promise<Answer>) => asked(context, answer);
  return {
    context,
    namespace,
    server: config.getCurrentCluster()?.server ?? '',
    kubectl: kubectlOf(context),
    version: async () => (await ask(config.makeApiClient(VersionApi).getCode())).gitVersion,
    nodes: async () => (await ask(core.listNode())).items,
    claim: (where, name) => orNull(ask(core.readNamespacedPersistentVolumeClaim({ namespace: where, name }))),
    createJob: async (where, job, dryRun = false) => {
      const body = loadYaml<V1Job>(JSON.stringify(job));
      await ask(batch.createNamespacedJob({ namespace: where, body, ...(dryRun ? { dryRun: 'All' } : {}) }));
    },
    jobs: async (where, labelSelector) =>
      (await ask(batch.listNamespacedJob({ namespace: where, labelSelector }))).items,
    pods: async (where, labelSelector) =>
      (await ask(core.listNamespacedPod({ namespace: where, labelSelector }))).items,
    deleteJob: async (where, name) => {
      await orNull(
        ask(batch.deleteNamespacedJob({ namespace: where, name, propagationPolicy: 'Background' })),
      );
    },
  };
}

/** Throws engine-unavailable if the context now leads to another cluster. */
export async function clientOf(
  clients: (context: string | undefined) => Promise<KubeClient>,
  { partition, server }: Pick<RunJob, 'partition' | 'server'>,
): Promise<KubeClient> {
  const client = await clients(partition ?? undefined);
  if (server === undefined || server === client.server) return client;
  throw new WorkbenchError(
    'engine-unavailable',
    `The context ${client.context} now leads to ${client.server}, but the Job is in the cluster at ${server}`,
    { remedy: `Add a context ${client.context} with that server to the kubeconfig.` },
  );
}

/** Cached by context until the kubeconfig changes. Each call throws engine-unavailable or KubeRefusal. */
export function createKubeClients(
  env: NodeJS.ProcessEnv,
): (context: string | undefined) => Promise<KubeClient> {
  const kept = new Map<string, Promise<KubeClient>>();
  const state = { files: '' };
  const stamp = async () => {
    const times = kubeconfigFiles(env).map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    );
    return (await Promise.all(times)).join();
  };
  return async (context) => {
    const files = await stamp();
    if (files !== state.files) kept.clear();
    state.files = files;
    const key = context ?? '';
    const client = kept.get(key) ?? readConfig(env).then((config) => connect(config, context));
    kept.set(key, client);
    client.catch(() => kept.delete(key));
    return client;
  };
}
