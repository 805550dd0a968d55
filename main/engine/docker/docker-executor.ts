import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import type { UsedImage } from '../../contract/measured/results';
import type { DockerEngineSpec } from '../../contract/run/run-spec';
import { sharedMemoryOf } from '../../contract/run/sweep';
import { ask, type DockerClient } from '../../docker/client';
import { removeContainer } from '../../docker/container-life';
import { listContainers, type OwnContainer } from '../../docker/containers';
import type { DockerLink } from '../../docker/docker-link';
import type { ImageRequest } from '../../docker/images/prepare-image';
import { type ContainerEnd, dockerRunCommand, runContainer } from '../../docker/run-container';
import { ensureNetwork, networkCommand, removeNetworks } from '../../docker/run-network';
import type { LaunchPython } from '../../toolkit/toolkit';
import { createTunnels, type Tunnels } from '../docker-over-ssh/tunnels';
import { openVolumeFiles } from '../docker-over-ssh/volume-files';
import type {
  EngineWatch,
  Executor,
  ExecutorRun,
  ExecutorSpec,
  ImagesListener,
  ServerHandle,
  StartServerInput,
} from '../engine';
import type { EngineParts } from '../engine-interface';
import { type ClientStep, createContainerLoadTools } from './container-load-tools';
import { containerTraceFile, containerTraces } from './container-traces';
import { readEngineFacts, RunContainers } from './run-containers';
import { createSharedFiles, type RunFiles } from './run-files';
import { imageNamesOf, type ImageSource, wantedImages } from './run-images';
import {
  allowsClientSharedMemory,
  canTrace,
  type ImageFacts,
  readImageFacts,
  readPlanTensorRt,
  tritonCommand,
} from './triton-command';
import { startTritonContainer } from './triton-container';

interface DockerExecutorOptions
  extends ImageSource, Pick<EngineParts, 'workerFile' | 'prepareImage' | 'env'> {
  readonly link: DockerLink;
  readonly spec: ExecutorSpec;
  readonly engine: DockerEngineSpec;
  readonly run: ExecutorRun;
}

interface Session {
  readonly client: DockerClient;
  readonly containers: RunContainers;
  readonly files: RunFiles;
  /** To the loopback ports of the engine's machine; null for this machine. */
  readonly tunnels: Tunnels | null;
}

/** Containers that the next attempt reuses: a running Triton, and client steps that work with it. */
export function reusableContainers(own: readonly OwnContainer[]): ReadonlySet<string> {
  const server = own.find(({ info }) => info.role === 'triton' && info.state === 'running');
  if (server === undefined) return new Set();
  const clients = own.filter(
    ({ info, labels }) =>
      info.role === 'client' &&
      labels.adoptable &&
      labels.server === server.info.id &&
      (info.state === 'running' || info.state === 'exited'),
  );
  return new Set([server, ...clients].map(({ info }) => info.id));
}

/** Triton in one container for the attempt, each client step in its own. */
export async function openDockerExecutor(options: DockerExecutorOptions): Promise<Executor> {
  const { link, run, spec, engine } = options;
  const wanted = await wantedImages(engine, options, { framework: run.framework, format: spec.format });
  return new DockerExecutor(options, wanted, (await link.address()).host);
}

async function openSession(options: DockerExecutorOptions, image: () => string): Promise<Session> {
  const { link, run, spec, engine, resources } = options;
  const client = await link.connect();
  const { address } = client;
  if (address.kind === 'tls') {
    throw new WorkbenchError('engine-unavailable', `A run needs ssh to reach Triton at ${address.host}`, {
      remedy: 'Use the address ssh://user@host for that machine.',
    });
  }
  const instance = await link.instance();
  const bundles = dirname(options.workerFile);
  const facts = await readEngineFacts(link);
  if (run.isBeside === true && facts.rootless) {
    throw new WorkbenchError(
      'engine-unavailable',
      `Containers of a rootless Docker Engine do not see the ports of ${address.host}`,
      { remedy: 'Measure from this machine, through a port that is forwarded with "ssh -L".' },
    );
  }
  const containers = new RunContainers({ facts, instance, run, spec, engine, resources, bundles });
  const { paths, ownerId } = containers;
  const common = { run, spec, resources, bundles };
  const isHere = address.kind === 'unix';
  const files = isHere
    ? createSharedFiles({ ...common, paths, ownerId })
    : await openVolumeFiles({ ...common, client, instance, containers, image });
  const tunnels = address.kind === 'ssh' ? createTunnels(address, options.env) : null;
  return { client, containers, files, tunnels };
}

const hostWait = 'TRITON_WORKBENCH_HOST_WAIT_S';
const usualHostWaitS = 900;

/** This machine's engine comes back with the machine; a host may not. */
function hostWaitMs({ env, engine }: Pick<DockerExecutorOptions, 'env' | 'engine'>): number | undefined {
  const seconds = Number(env[hostWait] ?? usualHostWaitS);
  return engine.host === undefined ? undefined : (seconds > 0 ? seconds : usualHostWaitS) * 1000;
}

const everyMs = 2000;
const answerLimitMs = 5000;
/** Longer than a daemon restart with live-restore; after it the run reports that it waits. */
const patienceMs = 10_000;
/** A container that died with its engine is reported when the engine is back. */
const recentMs = 60_000;

/** @param host address, for messages. @param waitMs how long a run waits */
function createEngineWatch(link: DockerLink, host: string, waitMs?: number): EngineWatch {
  const away: { sinceMs: number | null; lastMs: number } = { sinceMs: null, lastMs: -Infinity };
  const answers = async (): Promise<boolean> => {
    const askedMs = performance.now();
    try {
      const { docker } = await link.connect();
      const ping = docker.ping.bind(docker) as (options: object) => Promise<unknown>;
      await ask('answer', (abortSignal) => ping({ abortSignal }), { timeoutMs: answerLimitMs });
      away.sinceMs = null;
      return true;
    } catch {
      away.sinceMs ??= askedMs;
      away.lastMs = performance.now();
      return false;
    }
  };
  return {
    name: `the Docker Engine at ${host}`,
    waitMs,
    start: (onAway) => {
      const stop = new AbortController();
      const stopped = () => stop.signal.aborted;
      away.sinceMs = null;
      void (async () => {
        while (!stopped()) {
          await sleep(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
          if (stopped() || (await answers()) || away.sinceMs === null) continue;
          if (performance.now() - away.sinceMs < patienceMs) continue;
          onAway();
          return;
        }
      })();
      return () => stop.abort();
    },
    answers,
    wasAway: async () => !(await answers()) || performance.now() - away.lastMs < recentMs,
  };
}

class DockerExecutor implements Executor {
  readonly loadTools: Executor['loadTools'];
  readonly imageNames: readonly string[];
  readonly engineWatch: EngineWatch;
  private readonly used = new Map<
    ImageRequest['role'],
    { readonly image: UsedImage; readonly facts: ImageFacts }
  >();
  private serverId: string | null = null;
  private opened: Promise<Session> | null = null;

  constructor(
    private readonly options: DockerExecutorOptions,
    private readonly wanted: Awaited<ReturnType<typeof wantedImages>>,
    host: string,
  ) {
    this.loadTools = createContainerLoadTools(
      (step) => this.runClient(step),
      (path) =>
        path.startsWith(`${options.run.dir}/`) ? `/workbench/run${path.slice(options.run.dir.length)}` : path,
    );
    this.imageNames = imageNamesOf(wanted);
    this.engineWatch = createEngineWatch(options.link, host, hostWaitMs(options));
  }

  readonly launchPython: LaunchPython = async (launch) => {
    const { containers } = await this.session();
    const end = await this.runClient({
      task: launch.task,
      command: ['python', ...launch.args.map((arg) => containers.paths.toContainer(arg))],
      adoptable: false,
      sharedMemory: 'none',
      signal: launch.signal,
      onCommand: launch.onCommand,
      onStdoutLine: launch.onStdoutLine,
      onStderrLine: launch.onStderrLine,
    });
    if (end.oomKilled) {
      throw new WorkbenchError('out-of-memory', `The toolkit command "${launch.task}" ran out of memory`, {
        details: end.tail.slice(-40).join('\n'),
      });
    }
    return { exitCode: end.exitCode, signal: null, aborted: end.aborted, stderrTail: end.tail.slice(-60) };
  };

  readonly prepareImages = async (listener: ImagesListener): Promise<readonly UsedImage[]> => {
    const { client } = await this.session();
    const { triton: server, client: own } = this.wanted;
    for (const image of this.options.run.isBeside === true ? [own] : [server, own]) {
      const prepared = await this.options.prepareImage(client, image, listener);
      this.used.set(image.role, { image: prepared, facts: await readImageFacts(client, prepared) });
    }
    const [triton, builder] = [this.used.get('triton')?.image, this.used.get('client')?.image];
    if (this.options.spec.format === 'trt' && triton !== undefined && builder !== undefined) {
      const version = await readPlanTensorRt(client, { triton, client: builder });
      listener.log([
        version === null
          ? 'An image does not say its TensorRT version: whether it loads the plan shows when it is deployed'
          : `TensorRT ${version} builds and serves the plan`,
      ]);
    }
    return [...this.used.values()].map(({ image }) => image);
  };

  async reclaim(): Promise<void> {
    const { client, all } = await this.own();
    const kept = reusableContainers(all);
    for (const { info } of all) if (!kept.has(info.id)) await removeContainer(client, info.id);
  }

  async release(): Promise<void> {
    const { link, run } = this.options;
    try {
      const { client, all } = await this.own();
      for (const { info } of all) await removeContainer(client, info.id);
      await removeNetworks(client, await link.instance(), ({ runId }) => runId === run.runId);
      await (await this.session()).files.release();
    } finally {
      // Tunnels belong to this process, even if the engine is away.
      (await this.opened?.catch(() => null))?.tunnels?.close();
    }
  }

  private session(): Promise<Session> {
    this.opened ??= openSession(this.options, () => this.prepared('client').image).catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
    return this.opened;
  }

  private prepared(role: ImageRequest['role']): ImageFacts & { readonly image: string } {
    const found = this.used.get(role);
    if (found !== undefined) return { image: found.image.id, ...found.facts };
    throw new WorkbenchError('image-missing', `The image ${this.wanted[role].reference} was not prepared`);
  }

  private async own() {
    const { link, run } = this.options;
    const { client } = await this.session();
    const all = await listContainers(client, await link.instance());
    return { client, all: all.filter((container) => container.labels.runId === run.runId) };
  }

  private async runClient(step: ClientStep): Promise<ContainerEnd> {
    const { client, containers, files } = await this.session();
    const listener = { signal: step.signal, say: step.onStderrLine };
    const mounts = await files.openClient(listener, step.adoptable);
    const plan = containers.client({
      ...this.prepared('client'),
      task: step.task,
      command: step.command,
      serverId: this.serverId,
      adoptable: step.adoptable,
      mounts,
      sharedMemory: step.sharedMemory,
    });
    await step.onCommand(dockerRunCommand(plan.name, plan.body));
    return runContainer({
      client,
      ...plan,
      signal: step.signal,
      onEnded: () => files.collect(step.written ?? null, listener),
      onTrouble: (text) => step.onStderrLine(`Docker: ${text}`),
      onLine: (channel, line) => {
        const text = containers.paths.toHost(line);
        if (channel === 'stdout') step.onStdoutLine(text);
        else step.onStderrLine(text);
      },
    });
  }

  async startServer(start: StartServerInput): Promise<ServerHandle> {
    const { link, run, spec, engine } = this.options;
    const { triton } = this.wanted;
    const { client, containers, files, tunnels } = await this.session();
    const sharedMemory = sharedMemoryOf(spec.performance);
    const { image, keepsEntrypoint, ...about } = this.prepared('triton');
    const builtHere = triton.recipe !== null;
    const release = builtHere ? null : about.release;
    const say = (line: string) => {
      start.onLog([line]);
    };
    const mount = await files.openRepository(start.repository, { signal: start.signal, say });
    const network = { instance: await link.instance(), runId: run.runId, runDir: run.dir };
    start.onCommand(networkCommand(network));
    const plan = containers.triton({
      image,
      keepsEntrypoint,
      command: tritonCommand({
        builtHere,
        release,
        gpus: engine.gpus.length > 0,
        asIs: start.asIs,
        traceFile: containerTraceFile,
        clientSharedMemory: allowsClientSharedMemory(sharedMemory, release),
      }),
      mount,
      repositoryKey: start.key,
      network: await ensureNetwork(client, network, {
        signal: start.signal,
        onTrouble: (text) => start.onLog([`Docker: ${text}`]),
      }),
    });
    const handle = await startTritonContainer(client, plan, start, tunnels?.open.bind(tunnels));
    const { containerId } = handle;
    this.serverId = containerId;
    return {
      ...handle,
      ...(canTrace(builtHere, release)
        ? { traces: containerTraces(() => Promise.resolve({ client, id: containerId })) }
        : {}),
      stop: async () => {
        this.serverId = null;
        await handle.stop();
      },
      leave: async () => {
        this.serverId = null;
        await handle.leave?.();
      },
    };
  }
}
