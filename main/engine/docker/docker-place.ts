import { dirname } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import type { UsedImage } from '../../contract/measured/results';
import type { DockerEngineSpec, RunSpec } from '../../contract/run/run-spec';
import { sharedMemoryOf } from '../../contract/run/sweep';
import type { DockerClient } from '../../docker/client';
import { removeContainer } from '../../docker/container-life';
import { type DockerLink, gpuAccessOf, isRootless, remapsUsers } from '../../docker/docker-link';
import type { ImageRequest } from '../../docker/images/prepare-image';
import { listContainers, type OwnContainer } from '../../docker/list-containers';
import { dockerRunCommand, runContainer } from '../../docker/run-container';
import { ensureNetwork, networkCommand, removeNetworks } from '../../docker/run-network';
import type { Engine } from '../engine';
import type { ImagesListener, Place, PlaceRun } from '../place';
import { createContainerLoadTools, type RunClientStep } from './container-load-tools';
import { createEngineWatch } from './engine-watch';
import { RunContainers } from './run-containers';
import { imageNamesOf, wantedImages } from './run-images';
import { allowsClientSharedMemory, readImageRelease, tritonCommand } from './triton-command';
import { startTritonContainer } from './triton-container';

export type PrepareImage = (
  client: DockerClient,
  image: ImageRequest,
  listener: ImagesListener,
) => Promise<UsedImage>;

interface DockerPlaceOptions {
  readonly link: DockerLink;
  readonly spec: RunSpec;
  readonly engine: DockerEngineSpec;
  readonly run: PlaceRun;
  readonly resources: string;
  readonly workerFile: string;
  readonly prepareImage: PrepareImage;
  /** What the engine is beside a run: detection and sweep. */
  readonly about: Pick<Engine, 'detect' | 'sweep'>;
}

interface Session {
  readonly client: DockerClient;
  readonly containers: RunContainers;
}

/** What the next attempt can take up: a Triton that runs, and client steps that work with it. Pure. */
export function takenUp(own: readonly OwnContainer[]): ReadonlySet<string> {
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

/** A run's work in containers: Triton in one that lives through the attempt, each step of the client in its own. */
export async function openDockerPlace(options: DockerPlaceOptions): Promise<Place> {
  const { link, run, spec, engine } = options;
  const wanted = await wantedImages(engine, options.resources, {
    framework: run.framework,
    format: spec.format,
  });
  const used = new Map<ImageRequest['role'], UsedImage>();
  const server: { id: string | null } = { id: null };
  const opened: { session: Promise<Session> | null } = { session: null };

  const session = (): Promise<Session> => {
    opened.session ??= (async () => {
      const client = await link.connect();
      if (client.address.kind !== 'unix') {
        throw new WorkbenchError(
          'engine-unavailable',
          `The Docker daemon at ${client.address.host} is on another machine and has no access to the run folder`,
          {
            remedy:
              'Run the workbench on that machine, or start Triton there and choose the engine "remote" with its address.',
          },
        );
      }
      const info = await link.info();
      const facts = {
        memoryBytes: info.MemTotal,
        rootless: isRootless(info),
        remapsUsers: remapsUsers(info),
        gpuAccess: gpuAccessOf(info),
      };
      const containers = new RunContainers({
        facts,
        instance: await link.instance(),
        run,
        spec,
        engine,
        resources: options.resources,
        bundles: dirname(options.workerFile),
      });
      return { client, containers };
    })();
    return opened.session;
  };
  const imageId = (role: ImageRequest['role']): string => {
    const image = used.get(role);
    if (image !== undefined) return image.id;
    throw new WorkbenchError('image-missing', `The image ${wanted[role].reference} was not prepared`);
  };
  const own = async () => {
    const { client } = await session();
    const all = await listContainers(client, await link.instance());
    return { client, all: all.filter((container) => container.labels.runId === run.runId) };
  };

  const ownNetwork = async () => ({ instance: await link.instance(), runId: run.runId, runDir: run.dir });

  const runClient: RunClientStep = async (step) => {
    const { client, containers } = await session();
    await containers.openFolders();
    const plan = containers.client({
      image: imageId('client'),
      task: step.task,
      command: step.command,
      serverId: server.id,
      adoptable: step.adoptable,
      sharedMemory: step.sharedMemory,
    });
    await step.onCommand(dockerRunCommand(plan.name, plan.body));
    return runContainer({
      client,
      ...plan,
      signal: step.signal,
      onTrouble: (text) => {
        step.onStderrLine(`Docker: ${text}`);
      },
      onLine: (channel, line) => {
        const text = containers.paths.toHost(line);
        if (channel === 'stdout') step.onStdoutLine(text);
        else step.onStderrLine(text);
      },
    });
  };

  return {
    engine: {
      kind: 'docker',
      ...options.about,
      async startServer(start) {
        const { client, containers } = await session();
        const sharedMemory = sharedMemoryOf(spec.performance);
        const image = { id: imageId('triton'), reference: wanted.triton.reference };
        const builtHere = wanted.triton.recipe !== null;
        const release = builtHere ? null : await readImageRelease(client, image);
        await containers.requirePlainMount(start.repository);
        const network = await ownNetwork();
        start.onCommand(networkCommand(network));
        const plan = containers.triton({
          image: image.id,
          command: tritonCommand({
            builtHere,
            release,
            gpus: engine.gpus.length > 0,
            clientSharedMemory: allowsClientSharedMemory(sharedMemory, release),
          }),
          repository: start.repository,
          repositoryKey: start.key,
          network: await ensureNetwork(client, network, {
            signal: start.signal,
            onTrouble: (text) => {
              start.onLog([`Docker: ${text}`]);
            },
          }),
        });
        const handle = await startTritonContainer(client, plan, start);
        server.id = handle.containerId;
        return {
          ...handle,
          stop: async () => {
            server.id = null;
            await handle.stop();
          },
          leave: async () => {
            server.id = null;
            await handle.leave?.();
          },
        };
      },
    },
    launchPython: async (launch) => {
      const { containers } = await session();
      const end = await runClient({
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
    },
    loadTools: createContainerLoadTools(runClient, (path) => pathIn(run, path)),
    imageNames: imageNamesOf(wanted),
    prepareImages: async (listener) => {
      const { client } = await session();
      for (const image of [wanted.triton, wanted.client]) {
        used.set(image.role, await options.prepareImage(client, image, listener));
      }
      return [...used.values()];
    },
    engineWatch: createEngineWatch(link, (await link.address()).host),
    reclaim: async () => {
      const { client, all } = await own();
      const kept = takenUp(all);
      for (const { info } of all) if (!kept.has(info.id)) await removeContainer(client, info.id);
    },
    release: async () => {
      const { client, all } = await own();
      for (const { info } of all) await removeContainer(client, info.id);
      await removeNetworks(client, await link.instance(), ({ runId }) => runId === run.runId);
    },
  };
}

/** The run folder as its containers see it. */
function pathIn(run: PlaceRun, path: string): string {
  return path.startsWith(`${run.dir}/`) ? `/workbench/run${path.slice(run.dir.length)}` : path;
}
