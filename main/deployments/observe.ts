import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  deployedAccuracy,
  type DeployedModel,
  type Deployment,
  type DeploymentInfo,
  type DeploymentModelInfo,
  type DeploymentState,
} from '../contract/deployment/deployment';
import {
  type DeploymentVersion,
  interruptionText,
  startsServer,
  tritonVersionOf,
} from '../contract/deployment/deployment-change';
import { toWire, WorkbenchError } from '../contract/errors';
import { askedGpus, inContainers, isProcess } from '../contract/run/engine-kinds';
import { present } from '../contract/trees';
import type { DeploymentServer, ServerStatus } from '../engine/engine';
import { loadAndCheckModel, zeroCanary } from '../engine/serving';
import { createTritonClient, type TritonClient } from '../triton/client';
import { readConfig } from './deployable-run';
import type { DeploymentFolder, StoredDeployment } from './deployment-store';
import { canaryRequest, readCheck } from './version-check';

const answerLimitMs = 3000;
/** Timeout of a canary; listings must not wait for hanging models. */
const canaryLimitMs = 15_000;
const hostLimitMs = 10_000;
const startLimitMs = 300_000;
const pollMs = 200;

/** Listings do not wait for hanging hosts. */
function withinLimit<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new WorkbenchError('host-unreachable', `no answer within ${hostLimitMs / 1000} s`)),
      hostLimitMs,
    );
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Client addresses for wildcard ones. Docker opens "::" for IPv6 only. */
const everywhere = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
]);
const reachable = (listen: string): string =>
  everywhere.get(listen) ?? (listen.includes(':') ? `[${listen}]` : listen);

export function addressesOf({ engine, ports }: Deployment) {
  const host = inContainers(engine) ? reachable(engine.listen) : '127.0.0.1';
  return {
    http: `${host}:${ports.http}`,
    grpc: `${host}:${ports.grpc}`,
    metrics: `${host}:${ports.metrics}`,
  };
}

/** Throws as {@link DeploymentServer.reach}. */
export const clientOf = async (
  deployment: Deployment,
  server: Pick<DeploymentServer, 'reach'>,
): Promise<TritonClient> =>
  createTritonClient(await server.reach(deployment, addressesOf(deployment).http), {
    timeoutMs: answerLimitMs,
  });

/**
 * Of repositories as they are, whose models may answer over a stream only; undefined for others.
 * Throws as {@link DeploymentServer.reach}.
 */
export const grpcAddressOf = async (
  deployment: Deployment,
  server: Pick<DeploymentServer, 'reach'>,
): Promise<string | undefined> =>
  deployment.engine.asIs === true ? server.reach(deployment, addressesOf(deployment).grpc) : undefined;

export const hostOf = ({ engine }: Pick<Deployment, 'engine'>): string | null =>
  inContainers(engine) ? (engine.host ?? null) : null;

/** Waits until Triton has loaded its models, or failed to. Throws server-start-failed, cancelled. */
export async function untilAnswering(
  deployment: Deployment,
  server: DeploymentServer,
  signal: AbortSignal,
): Promise<void> {
  const client = await clientOf(deployment, server);
  const deadline = performance.now() + startLimitMs;
  for (;;) {
    const answers = await client.serverMetadata({ signal }).then(
      () => true,
      () => false,
    );
    if (answers) return;
    signal.throwIfAborted();
    const serverStatus = await server.readStatus(deployment);
    if (serverStatus.kind === 'failed' || serverStatus.kind === 'stopped') {
      throw new WorkbenchError('server-start-failed', `${deployment.id}: ${serverStatus.reason}`);
    }
    if (performance.now() > deadline) {
      const limit = `${startLimitMs / 1000} s`;
      throw new WorkbenchError('server-start-failed', `Triton did not answer within ${limit}`);
    }
    await sleep(pollMs);
  }
}

type VersionStatus = Pick<DeploymentModelInfo, 'state' | 'reason' | 'inputs'>;

/** Of a deployment that responds. */
interface AnsweringTriton {
  readonly client: TritonClient;
  /** See {@link grpcAddressOf}. */
  readonly grpcAddress: string | undefined;
}

/** One canary request; null: Triton does not respond. */
async function readVersionStatus(
  folder: DeploymentFolder,
  triton: AnsweringTriton | null,
  of: DeploymentVersion,
): Promise<VersionStatus> {
  const { model, version } = of;
  const config = await readConfig(join(folder.kept(model, version), 'config.pbtxt')).catch(() => null);
  const inputs = (config === null ? [] : zeroCanary(config)).map(({ name, datatype, shape }) => ({
    name,
    datatype,
    shape,
  }));
  if (triton === null) return { state: 'unknown', reason: null, inputs };
  if (config === null) return { state: 'unknown', reason: 'Its configuration is missing', inputs };
  const signal = AbortSignal.timeout(canaryLimitMs);
  try {
    const check = await readCheck(folder.kept(model, version));
    await loadAndCheckModel({
      ...{
        client: triton.client,
        modelName: model,
        modelVersion: String(tritonVersionOf(of)),
        config,
        signal,
      },
      ...canaryRequest(check, triton.grpcAddress),
      load: false,
    });
    return { state: 'ready', reason: null, inputs };
  } catch (error) {
    if (signal.aborted) {
      const reason = `It did not answer within ${canaryLimitMs / 1000} s`;
      return { state: 'not-answering', reason, inputs };
    }
    const { code, message, details } = toWire(error);
    const state = code === 'model-not-ready' ? 'not-loaded' : 'not-answering';
    return {
      state,
      reason: details === undefined ? message : `${message}: ${details}`.slice(0, 1000),
      inputs,
    };
  }
}

/** The version that responds: the journal's, or either one of an unfinished change. */
async function readModelStatus(
  { deployment: { id, change }, folder }: StoredDeployment,
  triton: AnsweringTriton | null,
  { active, previous }: DeployedModel,
): Promise<VersionStatus & { readonly served: DeploymentVersion }> {
  const serverStatus = await readVersionStatus(folder, triton, active);
  if (triton === null || serverStatus.state !== 'not-loaded') return { ...serverStatus, served: active };
  const entries = await triton.client.repositoryIndex().catch(() => []);
  const isReady = (of: DeploymentVersion) =>
    entries.some(
      ({ name, version, state }) =>
        name === of.model && version === String(tritonVersionOf(of)) && state === 'READY',
    );
  const other = [change?.to, previous]
    .flatMap((version) => version ?? [])
    .find((version) => version.model === active.model && isReady(version));
  if (other === undefined) return { ...serverStatus, served: active };
  if (change?.outcome === null) return { ...(await readVersionStatus(folder, triton, other)), served: other };
  const reason = `Version ${other.version} is served in place of version ${active.version}: "deployments restart ${id}" serves version ${active.version} again`;
  return { ...serverStatus, reason, served: other };
}

interface Verdict {
  readonly state: DeploymentState;
  readonly reason: string | null;
}

/** State without a response of Triton. */
export function notAnswering(
  { wanted, engine }: Pick<Deployment, 'wanted' | 'engine'>,
  serverStatus: ServerStatus,
  now: number,
): Verdict {
  // A host's container is unknown while the host is unreachable.
  const host = hostOf({ engine });
  if (serverStatus.kind === 'unknown' && host !== null) {
    return { state: 'unknown', reason: `The host ${host} is not reachable: ${serverStatus.reason}` };
  }
  if (serverStatus.kind === 'failed' || serverStatus.kind === 'unknown')
    return { state: wanted ? 'failed' : 'stopped', reason: wanted ? serverStatus.reason : null };
  if (serverStatus.kind === 'stopped')
    return { state: 'stopped', reason: wanted ? serverStatus.reason : null };
  const isFresh = serverStatus.since !== null && now - Date.parse(serverStatus.since) < startLimitMs;
  if (isFresh) return { state: 'starting', reason: 'Triton is loading its models' };
  return { state: 'failed', reason: 'Triton runs, but does not answer' };
}

function verdictOf(models: readonly (VersionStatus & { readonly name: string })[]): Verdict {
  if (models.length === 0) return { state: 'degraded', reason: 'No version has passed its checks' };
  const missing = models.filter(({ state }) => state !== 'ready');
  if (missing.length === 0) return { state: 'ready', reason: null };
  const reason = missing.map(({ name, reason: why }) => `${name}: ${why ?? 'does not answer'}`).join('; ');
  return { state: 'degraded', reason };
}

/** For unreadable journals: listed with the reason. */
export const unreadable = (id: string, error: unknown): DeploymentInfo => ({
  id,
  name: id,
  state: 'failed',
  reason: toWire(error).message,
  engine: null,
  host: null,
  image: null,
  gpus: [],
  httpUrl: '',
  grpcUrl: '',
  metricsUrl: '',
  createdAt: '',
  interrupted: null,
  work: null,
  models: [],
});

/** State of the server, and a client if it responds. */
async function readServerStatus(
  deployment: Deployment,
  server: DeploymentServer,
): Promise<{ readonly serverStatus: ServerStatus; readonly client: TritonClient | null }> {
  const unknown = (error: unknown): ServerStatus => ({ kind: 'unknown', reason: toWire(error).message });
  const isOnHost = hostOf(deployment) !== null;
  const serverStatus = await (
    isOnHost ? withinLimit(server.readStatus(deployment)) : server.readStatus(deployment)
  ).catch(unknown);
  // A local engine may be down while its container's ports still respond.
  if (serverStatus.kind !== 'running' && (serverStatus.kind !== 'unknown' || isOnHost))
    return { serverStatus, client: null };
  try {
    const client = await clientOf(deployment, server);
    await client.serverMetadata({ timeoutMs: answerLimitMs });
    return { serverStatus, client };
  } catch (error) {
    const { code } = toWire(error);
    return {
      serverStatus: isOnHost && code === 'host-unreachable' ? unknown(error) : serverStatus,
      client: null,
    };
  }
}

export interface ChangeState {
  /** Current work of this process, or null. */
  readonly work: string | null;
  /** A change was killed and not recovered. */
  readonly isInterrupted: boolean;
}

const isStarting = (change: Deployment['change']): boolean =>
  change?.outcome === null && startsServer(change);

/** What is served of a model, and what it was checked with. */
function modelEntry(
  name: string,
  { active, previous }: Deployment['models'][string],
  { served, ...status }: Awaited<ReturnType<typeof readModelStatus>>,
) {
  const isActive = served.version === active.version;
  return {
    name,
    version: served.version,
    ...status,
    runId: served.runId,
    format: served.format,
    precision: served.precision,
    checkedSamples: active.checkedSamples,
    accuracy: deployedAccuracy(active),
    ...present({
      checkedBatchSize: active.checkedBatchSize,
      golden: active.golden,
      coldStart: isActive ? active.coldStart : previous?.coldStart,
      record: isActive ? active.record : previous?.record,
      repository: served.repository,
      promised: isActive ? active.promised : previous?.promised,
    }),
    previous: previous === null ? null : { version: previous.version, runId: previous.runId },
  };
}

/** Checks process or container, Triton, and each model with one request. */
export async function observe(
  stored: StoredDeployment,
  server: DeploymentServer,
  { work, isInterrupted, now }: ChangeState & { readonly now: number },
): Promise<DeploymentInfo> {
  const { deployment } = stored;
  const { change, engine } = deployment;
  const { serverStatus, client } = await readServerStatus(deployment, server);
  const answers = client !== null;
  const grpcAddress = answers ? await grpcAddressOf(deployment, server).catch(() => undefined) : undefined;
  const triton = client === null ? null : { client, grpcAddress };
  const models = await Promise.all(
    Object.entries(deployment.models).map(async ([name, model]) =>
      modelEntry(name, model, await readModelStatus(stored, triton, model)),
    ),
  );
  const verdict = answers ? verdictOf(models) : notAnswering(deployment, serverStatus, now);
  // While Triton starts, models are missing.
  const isLoading =
    verdict.state === 'degraded' && models.every(({ state }) => state === 'not-loaded') && work !== null;
  const isBegun = isStarting(change) && verdict.state !== 'ready' && verdict.state !== 'unknown';
  const addresses = addressesOf(deployment);
  return {
    id: deployment.id,
    name: deployment.id,
    ...(isLoading || isBegun ? { state: 'starting', reason: work } : verdict),
    ...(serverStatus.kind === 'running' && serverStatus.warning !== undefined
      ? { warning: serverStatus.warning }
      : {}),
    engine: engine.kind,
    host: hostOf(deployment),
    image: inContainers(engine) ? engine.image : null,
    ...present({ environment: isProcess(engine) ? engine.environment : undefined }),
    gpus: askedGpus(engine),
    httpUrl: `http://${addresses.http}`,
    grpcUrl: addresses.grpc,
    metricsUrl: `http://${addresses.metrics}/metrics`,
    createdAt: deployment.createdAt,
    interrupted: interruptionText(change, isInterrupted),
    work,
    models,
  };
}
