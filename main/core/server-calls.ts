import { spawn } from 'node:child_process';
import { type FoundConfig, writeBundle } from '../bundle/bundle';
import type { BundleImage } from '../bundle/manifests';
import { parseRemoteUrl, type RequestHeader } from '../contract/address';
import type { Handlers } from '../contract/api';
import type { DeploymentEngine } from '../contract/deployment/deployment';
import { invalidInput } from '../contract/errors';
import { isProcess } from '../contract/run/engine-kinds';
import type { ServedModel, ServerDescription } from '../contract/run/measure-request';
import { isDeployed } from '../contract/run/run-source';
import { repositoryOf } from '../contract/run/run-spec';
import type { DeployedRun } from '../contract/run/run-state';
import { present } from '../contract/trees';
import { metricTitlesOf } from '../contract/words';
import { type DeployableRun, deployableRun } from '../deployments/deployable-run';
import { DeploymentStore } from '../deployments/deployment-store';
import { Deployments } from '../deployments/deployments';
import { requireServable } from '../deployments/placement';
import { readImageRecipe } from '../docker/images/known-images';
import { capacityOf, isCapacity } from '../domain/measured/capacity';
import { planReplayedLoad, wantedLoad } from '../domain/run/server-plan';
import { createDeploymentContainers } from '../engine/docker/deployment-container';
import { namedImageFacts, readImageFacts } from '../engine/docker/triton-command';
import { asSeen } from '../engine/docker-over-ssh/host-reach';
import { createDetachedServers } from '../engine/local/detached-server';
import { assertListening } from '../engine/remote/remote-triton';
import { defaultRelease } from '../machine/releases';
import type { Runs } from '../pipeline/runs';
import { cpuImageBackends, imageWithAll } from '../presets/image-backends';
import { readJournal } from '../store/journal';
import { requireAgreed } from '../studies/search/search-replay';
import { createTritonClient, type TritonClient } from '../triton/client';
import { recognizeServer } from '../triton/open-inference';
import { listOpenaiModels } from '../triton/openai-models';
import { readTls } from '../triton/tls';
import type { TrustedCalls } from './core-interface';
import { type CoreOptions, type CoreParts, ownProgram } from './core-parts';
import { searchCapacity } from './search/search-capacity';

/** Milliseconds per request: a user is waiting. */
const askMs = 3000;
const mostModels = 100;

async function servedModel(
  client: TritonClient,
  name: string,
  versions: readonly string[],
): Promise<ServedModel> {
  const [metadata, { maxBatchSize }] = [await client.modelMetadata(name), await client.modelConfig(name)];
  const dynamicInputs = metadata.inputs
    .map(({ name: input, shape }) => ({ name: input, dims: maxBatchSize > 0 ? shape.slice(1) : shape }))
    .filter(({ dims }) => dims.includes(-1));
  return { name, versions, maxBatchSize, dynamicInputs };
}

async function describeFrontend(
  address: string,
  tls: Awaited<ReturnType<typeof readTls>>,
  headers: readonly RequestHeader[] = [],
): Promise<ServerDescription> {
  const sent = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  const names = await listOpenaiModels(address, { timeoutMs: askMs, tls, headers: sent });
  const models = names.slice(0, mostModels).map((name) => ({
    name,
    versions: [],
    maxBatchSize: 0,
    dynamicInputs: [],
  }));
  const more = Math.max(0, names.length - mostModels);
  return { title: 'OpenAI server', models, listsModels: true, more };
}

export function createServerCalls(
  runs: Runs,
  { reach, approvals, reading }: Pick<CoreParts, 'reach' | 'approvals' | 'reading'>,
): Pick<Handlers, 'servers.describe' | 'servers.measure'> {
  return {
    'servers.describe': async ({ url, tls: files, headers, host, openai = false }) => {
      const address = parseRemoteUrl(url);
      const { http: there } = address;
      const here = host === undefined ? there : await reach.open(host, there);
      const seen = host === undefined ? null : { host, there, here };
      const tls = await readTls(address.secure ? (files ?? {}) : undefined);
      if (openai) return asSeen(seen, () => describeFrontend(here, tls, headers));
      const direct = createTritonClient(here, { timeoutMs: askMs, headers, tls });
      const { client, traits } = await asSeen(seen, () => recognizeServer(direct));
      const isTriton = traits.title === null;
      // A list of the models is Triton's own.
      const index = await client.repositoryIndex().catch((error: unknown) => {
        if (isTriton) throw error;
        return null;
      });
      const versions = new Map<string, string[]>();
      for (const { name, version = '', state } of index ?? []) {
        if (state === 'READY') versions.set(name, [...(versions.get(name) ?? []), version]);
      }
      const found = [...versions];
      const models: ServedModel[] = [];
      for (const [name, of] of found.slice(0, mostModels)) {
        // A model that is being unloaded cannot be measured.
        const model = await servedModel(client, name, of).catch(() => null);
        if (model !== null) models.push(model);
      }
      return {
        title: traits.title ?? `Triton ${traits.version}`,
        models,
        listsModels: index !== null,
        more: Math.max(0, found.length - mostModels),
      };
    },
    'servers.measure': async (request) => {
      const { host, headers = [], p99BudgetMs } = request;
      const load = await planReplayedLoad(wantedLoad(request), async (part) => {
        await requireAgreed(approvals, part.file);
        return reading.readers.replayRead(part);
      });
      const { grpc } = load.addresses;
      if (load.protocol === 'grpc') {
        await assertListening(host === undefined ? grpc : await reach.open(host, grpc), askMs);
      }
      const runId = await runs.createServer(load, { p99BudgetMs, headers });
      await runs.execute(runId, { headers });
      return { runId };
    },
  };
}

type DeploymentCall = Extract<keyof Handlers, `deployments.${string}` | 'runs.bundle'>;

/** The image that served the run, or one with the same Triton built here, or with the backends of its repository. */
async function bundleImage(
  { docker, options }: CoreParts,
  engine: DeploymentEngine,
  { environment, source }: DeployedRun,
): Promise<BundleImage> {
  if (isProcess(engine)) {
    const backends = (repositoryOf(source.spec.model)?.models ?? []).map(({ backend }) => backend);
    const isHere = backends.every((backend) => cpuImageBackends.includes(backend));
    const named = isHere ? null : imageWithAll(backends, defaultRelease);
    if (named !== null) return { reference: named, builtHere: false, ...namedImageFacts(named) };
    const args: Readonly<Record<string, string>> = engine.framework === 'tf' ? { FRAMEWORK: 'tf' } : {};
    const { reference } = await readImageRecipe(options.resources, 'triton-cpu', args);
    return { reference, builtHere: true, release: null, keepsEntrypoint: false };
  }
  const { image, imageId, builtHere } = engine;
  const digest = environment.images.find(({ id }) => id === imageId)?.digest ?? null;
  // If the engine or the image is gone, the image's name decides.
  const { release, keepsEntrypoint } = await docker
    .connect()
    .then((client) => readImageFacts(client, { id: imageId, reference: image }))
    .catch(() => namedImageFacts(image));
  return { reference: digest ?? image, builtHere, release: builtHere ? null : release, keepsEntrypoint };
}

/** The run with the configuration that a search found. */
const withFound = (run: DeployableRun, { config, own, promised }: FoundConfig): DeployableRun => ({
  ...run,
  // The levels of the run are of another configuration.
  steady: [],
  ...(run.repository === undefined
    ? { config }
    : { repository: { ...run.repository, ...present({ config: own }) } }),
  about: { ...run.about, promised },
});

/** Detached: survives this process. The result is in the deployment's journal. */
function startRecovery(options: CoreOptions, id: string): void {
  const { argv, env } = ownProgram(options);
  const [program, ...words] = [...argv, 'deployments', 'recover', id];
  const child = spawn(program, words, {
    env: { ...options.env, ...env },
    detached: true,
    stdio: 'ignore',
  });
  // The next check tries again.
  child.once('error', () => undefined);
  child.unref();
}

/** The model of a run as it was verified. Throws run-unknown, input-invalid, verification-failed. */
export async function verifiedRun(
  { store }: Pick<CoreParts, 'store'>,
  runId: string,
  allowUnverified: boolean,
) {
  const loaded = await store.load(runId);
  const manifests = await store.manifestsOf(await readJournal(loaded.folder.journal), runId);
  return { folder: loaded.folder, ...(await deployableRun(loaded, manifests, allowUnverified)) };
}

/** A run to measure beside others: of a repository as it is, the outputs need no reference. Throws as {@link verifiedRun}. */
export async function measurableRun(parts: Pick<CoreParts, 'store'>, runId: string) {
  const { state } = await parts.store.load(runId);
  const isUnchecked =
    isDeployed(state) && repositoryOf(state.source.spec.model) !== null && state.accuracy === null;
  return verifiedRun(parts, runId, isUnchecked);
}

/** The servers of deployments, by the kind of their engine. */
export const deploymentServersOf = ({
  layout,
  docker,
  hosts,
  reach,
  options: { env, resources },
}: Pick<CoreParts, 'layout' | 'docker' | 'hosts' | 'reach' | 'options'>) => ({
  local: createDetachedServers(layout, env, resources),
  docker: createDeploymentContainers({ docker, hosts, reach }),
});

export function createDeploymentCalls(
  parts: CoreParts,
  /** The best configuration of a search of the run. Throws study-unknown, input-invalid. */
  foundConfig: (name: string, runId: string) => Promise<FoundConfig>,
): {
  readonly handlers: Pick<Handlers, DeploymentCall> &
    Pick<TrustedCalls, 'deployments.recover' | 'deployments.trace'>;
} & Pick<Deployments, 'underWay' | 'close' | 'move'> {
  const { layout, presetOf, emit, now } = parts;
  const deployments = new Deployments({
    store: new DeploymentStore(layout.deployments),
    servers: deploymentServersOf(parts),
    runOf: async (runId, allowUnverified, search) => {
      const { state, run } = await verifiedRun(parts, runId, allowUnverified);
      requireServable(runId, state.source.spec.engine);
      return search === undefined ? run : withFound(run, await foundConfig(search, runId));
    },
    onChange: (id, work) => emit({ type: 'deployments-changed', id, work }),
    startRecovery: (id) => startRecovery(parts.options, id),
    now,
  });
  const handlers: ReturnType<typeof createDeploymentCalls>['handlers'] = {
    'deployments.recover': ({ id }) => deployments.recover(id),
    'deployments.trace': async ({ id, ...asked }) => {
      const dir = await deployments.trace(id, asked);
      return { dir, slow: await parts.reading.readers.slowRequests({ path: dir }) };
    },
    'deployments.list': () => deployments.list(),
    'deployments.show': ({ id }) => deployments.show(id),
    'deployments.deploy': (request) => deployments.deploy(request),
    'deployments.rollback': ({ id, model }) => deployments.rollback(id, model),
    'deployments.start': ({ id }) => deployments.start(id),
    'deployments.stop': ({ id }) => deployments.stop(id),
    'deployments.restart': ({ id }) => deployments.restart(id),
    'deployments.remove': async ({ id, force }) => {
      await deployments.remove(id, force);
      return null;
    },
    'deployments.log': ({ id, limit }) => deployments.log(id, limit),
    'runs.bundle': async ({ runId, out, allowUnverified, capacity: asked, search }) => {
      const { state, run } = await verifiedRun(parts, runId, allowUnverified === true);
      const measured =
        search === undefined ? state : (await searchCapacity(parts, { name: search, runId })).state;
      const capacity = asked === undefined ? null : capacityOf(measured, asked);
      if (capacity !== null && !isCapacity(capacity)) {
        throw invalidInput(runId, capacity.text, 'Give another p99 target, or leave the replicas out.');
      }
      const { preset } = await presetOf(state.source.spec.model);
      const found = search === undefined ? null : await foundConfig(search, runId);
      const path = await writeBundle(out, {
        ...{ state, measured, titles: metricTitlesOf(preset), resources: parts.options.resources },
        ...{ capacity, found },
        run: found === null ? run : withFound(run, found),
        image: await bundleImage(parts, run.engine, state),
      });
      return { path };
    },
  };
  return {
    handlers,
    underWay: () => deployments.underWay(),
    move: (id, engine) => deployments.move(id, engine),
    close: () => deployments.close(),
  };
}
