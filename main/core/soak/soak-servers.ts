import { fromWire, WorkbenchError } from '../../contract/errors';
import { serverUrl } from '../../contract/run/server-load';
import type { SoakLevel, SoakStrategy, SoakSubject } from '../../contract/study/soak';
import { present } from '../../contract/trees';
import { DeploymentStore } from '../../deployments/deployment-store';
import { deviceOfUrl, type ServerHandle } from '../../engine/engine';
import { whileServing } from '../../engine/serving';
import type { LoadTool, MeasureInput } from '../../perf/load-tool';
import { makeFolder } from '../../platform/files';
import { takeDevice } from '../../store/device-queue';
import { askedOf, type LookThere } from '../../studies/search/measure-look';
import { unloaded } from '../../studies/search/running-triton';
import { onExecutor } from '../../studies/search/search-place';
import type { SoakedServer, SoakHands } from '../../studies/soak/soaks';
import { createTritonClient, type TritonClient } from '../../triton/client';
import { readTls } from '../../triton/tls';
import type { CoreParts } from '../core-parts';
import { createMeasuredServers } from '../measured-servers';
import { openedModel, placeHandsOf, requireBeside } from '../search/contests';
import { startOwnTriton } from '../search/own-triton';
import { deploymentServersOf } from '../server-calls';
import { answeredRequests, processesAt, readingsFrom } from './read-server';

type Place = Parameters<SoakHands['withServer']>[1];
type Work = Parameters<SoakHands['withServer']>[2];
type OfKind<Kind extends SoakSubject['kind']> = Extract<SoakSubject, { kind: Kind }>;
type Model = Awaited<ReturnType<typeof openedModel>>;

/** Never agreed upon, so that all windows are measured. */
const neverSteady = 1e-9;

const anywhere = (): void => undefined;

const windowsOf = ({ windows, windowMs }: { readonly windows: number; readonly windowMs: number }) => ({
  ...{ warmupMs: 0, measurementIntervalMs: windowMs, maxTrials: windows },
  ...{ stabilityPercentage: neverSteady, percentile: 0 },
});

interface Sending {
  readonly model: Model;
  readonly level: SoakLevel;
  readonly tool: LoadTool;
  readonly server: ServerHandle;
  readonly modelName: string;
  /** Absent: as the run has it. */
  readonly modelVersion?: number;
  readonly dir: string;
  readonly there?: LookThere | undefined;
}

/** Sends the inputs of a run. */
function sendOf({
  model,
  level,
  tool,
  server,
  modelName,
  modelVersion,
  dir,
  there,
}: Sending): SoakedServer['send'] {
  const { batchSize, ...load } = level;
  const asRun = model.lookOf({}, { batchSize, percentile: 99, tool, performance: model.spec.performance });
  const look = { ...asRun, ...present({ modelVersion }) };
  return async (part, onWindow, signal) => {
    const due = { candidate: 1, load, ms: part.windowMs, phase: 'turn' } as const;
    const served = { server, modelName, taken: [] };
    const asked = await askedOf(look, due, served, { at: 0, dir, there, signal });
    const input: MeasureInput = { ...asked, settings: { ...asked.settings, ...windowsOf(part) }, onWindow };
    await tool.measure(input);
  };
}

const reloadOf =
  (
    client: TritonClient,
    modelName: string,
    load: (signal: AbortSignal) => Promise<void>,
  ): SoakedServer['reload'] =>
  async (signal) => {
    await unloaded(client, [modelName], signal);
    await load(signal);
  };

/** A Triton that is started for the model of a run. */
async function onOwn(
  parts: CoreParts,
  { subject, level }: SoakStrategy & { readonly subject: OfKind<'run'> },
  { name, dir, signal }: Place,
  work: Work,
): Promise<void> {
  const model = await openedModel(parts, subject.runId, requireBeside);
  const place = { run: model.state, name, dir, signal };
  await onExecutor(placeHandsOf(parts), place, async (executor) => {
    const own = await startOwnTriton(executor, model, place);
    const { server, client, config, there, load } = own;
    const { name: modelName } = config;
    const tool = there?.loadTools.native ?? parts.loadTools.native;
    try {
      await whileServing(server, signal, 'while it was under load', async (until) => {
        await load(until);
        await own.warm([level.batchSize], until);
        await work(
          {
            place: own.place,
            send: sendOf({ model, level, tool, server, modelName, dir, there }),
            reload: reloadOf(client, modelName, load),
            readings: readingsFrom({
              processes:
                server.readProcesses === undefined
                  ? null
                  : () => server.readProcesses?.() ?? Promise.resolve([]),
              ...{
                isHere: server.pid !== null,
                metricsAddress: server.metricsAddress,
                env: parts.options.env,
              },
            }),
            requests: () => answeredRequests(client, modelName),
          },
          until,
        );
      });
    } finally {
      await own.close();
    }
  });
}

async function inTurn<Value>(
  { layout }: Pick<CoreParts, 'layout'>,
  { name, signal }: Pick<Place, 'name' | 'signal'>,
  url: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const giveBack = await takeDevice({
    ...{ root: layout.devices, device: deviceOfUrl(url), what: name, signal },
    onWaiting: () => Promise.resolve(),
  });
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

/** A deployment that serves. */
async function onDeployment(
  parts: CoreParts,
  { subject, level }: SoakStrategy & { readonly subject: OfKind<'deployment'> },
  place: Place,
  work: Work,
): Promise<void> {
  const { deployment } = await new DeploymentStore(parts.layout.deployments).load(subject.id);
  const servers = deploymentServersOf(parts);
  const triton = servers[deployment.engine.kind];
  const status = await triton.readStatus(deployment);
  if (status.kind !== 'running') {
    throw new WorkbenchError('server-unreachable', `${subject.id} is not serving`, {
      where: subject.id,
      remedy: `Start it first: triton-workbench deployments start ${subject.id}.`,
    });
  }
  const model = await openedModel(parts, subject.runId, anywhere);
  const { ports, engine } = deployment;
  const own = (port: number) => triton.reach(deployment, `127.0.0.1:${port}`);
  const [httpAddress, grpcAddress, metricsAddress] = await Promise.all([
    own(ports.http),
    own(ports.grpc),
    own(ports.metrics),
  ]);
  const client = createTritonClient(httpAddress);
  const { version: tritonVersion } = await client.serverMetadata({ signal: place.signal });
  const server: ServerHandle = {
    ...{ httpAddress, grpcAddress, metricsAddress, tritonVersion, pid: null },
    forClients: { httpAddress, grpcAddress },
    // It outlives this process, and is not ended by it.
    ...{ exited: new Promise(() => undefined), stop: () => Promise.resolve() },
  };
  const { model: modelName, version: modelVersion } = subject;
  const host = engine.kind === 'docker' ? engine.host : undefined;
  const { dir } = place;
  await makeFolder(dir);
  await inTurn(parts, place, `http://${httpAddress}`, () =>
    work(
      {
        place: {
          engine: engine.kind,
          ...present({ host }),
          address: `127.0.0.1:${ports.http}`,
          tritonVersion,
        },
        send: sendOf({ model, level, tool: parts.loadTools.native, server, modelName, modelVersion, dir }),
        reload: reloadOf(client, modelName, (signal) => client.loadModel(modelName, { signal })),
        readings: readingsFrom({
          processes: () => triton.readProcesses(deployment),
          ...{ isHere: engine.kind === 'local', metricsAddress, env: parts.options.env },
        }),
        requests: () => answeredRequests(client, modelName),
      },
      place.signal,
    ),
  );
}

/** Sends what `perf` would. */
function sendTo(
  parts: CoreParts,
  { load }: OfKind<'server'>,
  level: SoakLevel,
  { name, dir }: Place,
): SoakedServer['send'] {
  const measured = createMeasuredServers(parts);
  const { batchSize } = level;
  const at =
    'concurrency' in level
      ? { batchSize, concurrency: level.concurrency }
      : { batchSize, concurrency: load.levels[0]?.concurrency ?? 1, requestRate: level.requestRate };
  return async (part, onWindow, signal) => {
    const asked = {
      ...load,
      levels: [at],
      inTurns: false,
      settings: { ...load.settings, ...windowsOf(part), requestDistribution: 'poisson' as const },
    };
    const { missing } = await measured.measureServer(
      asked,
      // The machine was taken for the whole soak.
      () => Promise.resolve(() => Promise.resolve()),
      {
        ...{ onBegin: () => undefined, onLog: () => undefined, onPoints: () => undefined },
        ...{ onRound: () => undefined, onMissing: () => undefined },
        onWindow: (_level, window) => onWindow(window),
      },
      { signal },
      { runId: name, dir, scenario: 'online' },
    );
    const [first] = missing;
    if (first !== undefined) throw fromWire(first.error);
  };
}

/** A Triton of others. */
async function onServer(
  parts: CoreParts,
  { subject, level }: SoakStrategy & { readonly subject: OfKind<'server'> },
  place: Place,
  work: Work,
): Promise<void> {
  const { load } = subject;
  const { http, metrics, httpTls } = load.addresses;
  const modelName = load.models[0]?.name ?? '';
  const client = createTritonClient(http, { tls: await readTls(httpTls) });
  const { version: tritonVersion } = await client.serverMetadata({ signal: place.signal });
  await makeFolder(place.dir);
  const processes = await processesAt(http);
  await inTurn(parts, place, serverUrl(load), () =>
    work(
      {
        place: { engine: 'remote', address: http, tritonVersion },
        send: sendTo(parts, subject, level, place),
        reload: reloadOf(client, modelName, (signal) => client.loadModel(modelName, { signal })),
        readings: readingsFrom({
          ...{ processes, isHere: processes !== null, env: parts.options.env },
          metricsAddress: metrics?.address ?? null,
        }),
        requests: () => answeredRequests(client, modelName),
      },
      place.signal,
    ),
  );
}

/** Where a soak is served, by its subject. */
export const soakServersOf = (parts: CoreParts): Pick<SoakHands, 'withServer'> => ({
  withServer: (soak, place, work) => {
    const { subject } = soak;
    switch (subject.kind) {
      case 'run':
        return onOwn(parts, { ...soak, subject }, place, work);
      case 'deployment':
        return onDeployment(parts, { ...soak, subject }, place, work);
      case 'server':
        return onServer(parts, { ...soak, subject }, place, work);
    }
  },
});
