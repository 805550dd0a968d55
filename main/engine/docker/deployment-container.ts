import { shownAddress } from '../../contract/address';
import type { Deployment, DeploymentEngine } from '../../contract/deployment/deployment';
import { toWire, WorkbenchError } from '../../contract/errors';
import { ask, type DockerClient } from '../../docker/client';
import { containerBody, type ContainerMount } from '../../docker/container-body';
import {
  createContainer,
  inspectContainer,
  type Inspected,
  removeContainer,
  setRestartPolicy,
  startContainer,
  stopContainer,
} from '../../docker/container-life';
import { labelNames } from '../../docker/containers';
import type { DockerLink } from '../../docker/docker-link';
import { LogDemultiplexer } from '../../docker/follow-log';
import { gpuRemedy, knowsCdiAtStart, wasTooEarly } from '../../docker/gpu-access';
import { ensureNetwork, removeNetworks } from '../../docker/run-network';
import type { Hosts } from '../../hosts/hosts';
import { hashValue } from '../../platform/files';
import { LineSplitter } from '../../platform/lines';
import { pythonVariables } from '../../platform/process';
import { DeploymentVolume } from '../docker-over-ssh/deployment-volume';
import type { HostReach } from '../docker-over-ssh/host-reach';
import type { DeploymentPaths, DeploymentServer, ServerStatus, StartOptions } from '../engine';
import { parseListeningSockets, portTaken } from '../local/listening-sockets';
import type { ServerTraces } from '../server-traces';
import { containerTraceFile, containerTraces } from './container-traces';
import { containerUser, engineShare, programOf, readEngineFacts } from './run-containers';
import { chownTree } from './run-files';
import { containerPorts, readImageFacts, tritonCommand } from './triton-command';
import { readContainerProcesses } from './triton-container';

const quiet = () => undefined;
/** Short, because a list of deployments waits for it. */
const restartLimitMs = 8000;

type ContainerPaths = Pick<DeploymentPaths, 'dir' | 'repository'>;

function dockerEngine({ id, engine }: Deployment) {
  if (engine.kind === 'docker') return engine;
  throw new WorkbenchError('internal', `${id} is not deployed in a container`);
}

const hostOf = (engine: DeploymentEngine): string | undefined =>
  engine.kind === 'docker' ? engine.host : undefined;

function serverStatusOf({ State, RestartCount, HostConfig }: Inspected, serverVersion: string): ServerStatus {
  const { Status, ExitCode, OOMKilled, Error: notStarted } = State;
  const ended = `Triton ended with exit code ${ExitCode}${OOMKilled ? ', out of memory' : ''}`;
  switch (Status) {
    case 'running':
      return { kind: 'running', since: State.StartedAt, ...restartWarning(HostConfig, serverVersion) };
    case 'restarting':
      return { kind: 'failed', reason: `${ended}; the Docker Engine has started it ${RestartCount} times` };
    case 'paused':
      return { kind: 'stopped', reason: 'The container is paused' };
    default:
      return notStarted === ''
        ? { kind: 'stopped', reason: `${ended}, and was stopped in the Docker Engine` }
        : { kind: 'failed', reason: notStartedText(notStarted) };
  }
}

function notStartedText(refusal: string): string {
  const remedy = gpuRemedy(refusal);
  return `The Docker Engine could not start it: ${refusal}${remedy === undefined ? '' : `. ${remedy}`}`;
}

/** Docker restarts a container with GPUs only if they are ready when the daemon starts. */
function restartWarning({ DeviceRequests }: Inspected['HostConfig'], serverVersion: string) {
  const isByCdi = (DeviceRequests ?? []).some(({ Driver }) => Driver === 'cdi');
  if (!isByCdi || knowsCdiAtStart(serverVersion)) return {};
  const warning = `Docker Engine ${serverVersion} does not start a container with CDI devices again after its own restart; 28.2 and later do. The next "deployments list" starts it.`;
  return { warning };
}

/** Deployments on another machine need a registered host: files are in a volume there, and ports are reached by ssh. */
function requireHost({ id, engine }: Deployment, { address }: DockerClient): void {
  if (hostOf(engine) !== undefined || address.kind === 'unix') return;
  throw new WorkbenchError('engine-unavailable', `${id} cannot be served on ${shownAddress(address.host)}`, {
    where: 'DOCKER_HOST',
    remedy:
      'Add the machine with "triton-workbench hosts add NAME ADDRESS", and deploy a run that was made with --host NAME.',
  });
}

interface DeploymentEngines {
  readonly docker: DockerLink;
  readonly hosts: Pick<Hosts, 'link' | 'run'>;
  readonly reach: Pick<HostReach, 'open'>;
}

class DeploymentContainers implements DeploymentServer {
  constructor(private readonly engines: DeploymentEngines) {}

  reach({ engine }: Deployment, address: string): Promise<string> {
    const host = hostOf(engine);
    return host === undefined ? Promise.resolve(address) : this.engines.reach.open(host, address);
  }

  async busyPorts(engine: DeploymentEngine): Promise<ReadonlySet<number> | null> {
    const host = hostOf(engine);
    if (host === undefined) return null;
    const { stdout } = await this.engines.hosts.run(host, 'cat /proc/net/tcp /proc/net/tcp6');
    const { docker } = await this.linkOf(engine).then((link) => link.connect());
    const containers = await ask('list the containers', (abortSignal) =>
      docker.listContainers({ abortSignal }),
    );
    return new Set([
      ...parseListeningSockets(stdout).map(({ port }) => port),
      // Ports of containers whose forwarding has no userland proxy.
      ...containers.flatMap(({ Ports }) => Ports.map(({ PublicPort }) => PublicPort)),
    ]);
  }

  async sync(
    deployment: Deployment,
    paths: ContainerPaths,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    if (hostOf(deployment.engine) === undefined) return;
    await (await this.volumeOf(deployment, paths)).sync({ signal, say: quiet });
  }

  async start(deployment: Deployment, paths: ContainerPaths, { signal }: StartOptions): Promise<void> {
    const options = { signal, onTrouble: quiet };
    const { client } = await this.engineOf(deployment, signal);
    requireHost(deployment, client);
    const { name, body } = await this.plan(deployment, paths, options);
    const found = await inspectContainer(client, name, signal);
    const isSame = found?.Config.Labels[labelNames.key] === body.Labels?.[labelNames.key];
    if (found !== null && !isSame) await removeContainer(client, found.Id, { signal });
    const kept = isSame ? found : null;
    if (kept !== null) await setRestartPolicy(client, kept.Id, 'always');
    const id = kept?.Id ?? (await createContainer(client, name, body, options));
    try {
      await startContainer(client, id, options);
    } catch (error) {
      await removeContainer(client, id);
      const { code, message } = toWire(error);
      const port = Number(/:(\d+) is in use/.exec(message)?.[1]);
      // Port owners on another machine cannot be looked up.
      const isHere = client.address.kind === 'unix';
      throw isHere && code === 'port-taken' && Number.isInteger(port) ? await portTaken(port) : error;
    }
  }

  async stop(deployment: Deployment): Promise<void> {
    const { client, name } = await this.engineOf(deployment);
    // Otherwise it would restart with the daemon.
    await setRestartPolicy(client, name, 'no');
    try {
      await stopContainer(client, name);
    } catch (error) {
      await setRestartPolicy(client, name, 'always').catch(quiet);
      throw error;
    }
  }

  async remove(deployment: Deployment, paths: ContainerPaths): Promise<void> {
    const { client, instance, name } = await this.engineOf(deployment);
    await removeContainer(client, name);
    await removeNetworks(
      client,
      instance,
      ({ role, runId }) => role === 'deployment' && runId === deployment.id,
    );
    if (hostOf(deployment.engine) !== undefined) await (await this.volumeOf(deployment, paths)).remove();
  }

  async readStatus(deployment: Deployment): Promise<ServerStatus> {
    const { client, name } = await this.engineOf(deployment);
    let found = await inspectContainer(client, name);
    if (found !== null && deployment.wanted && !found.State.Running && wasTooEarly(found.State.Error)) {
      // Docker retries this only once.
      await startContainer(client, found.Id, { signal: AbortSignal.timeout(restartLimitMs) }).catch(quiet);
      found = await inspectContainer(client, name);
    }
    if (found !== null) return serverStatusOf(found, client.serverVersion);
    return { kind: 'stopped', reason: 'The container was removed; start the deployment to create a new one' };
  }

  async readProcesses(deployment: Deployment) {
    const { client, name } = await this.engineOf(deployment);
    return readContainerProcesses(client, name);
  }

  traces(deployment: Deployment): ServerTraces {
    return containerTraces(async () => {
      const { client, name } = await this.engineOf(deployment);
      return { client, id: name };
    });
  }

  async log(deployment: Deployment, _paths: DeploymentPaths, limit: number): Promise<readonly string[]> {
    const { client, name } = await this.engineOf(deployment);
    const bytes = await ask('read the log of the container', (abortSignal) =>
      client.docker.getContainer(name).logs({ stdout: true, stderr: true, tail: limit, abortSignal }),
    );
    const lines: string[] = [];
    const splitters = { stdout: new LineSplitter(take), stderr: new LineSplitter(take) };
    function take(line: string): void {
      lines.push(line);
    }
    const demultiplexer = new LogDemultiplexer((channel, chunk) => splitters[channel].add(chunk));
    demultiplexer.add(bytes);
    for (const splitter of Object.values(splitters)) splitter.end();
    return lines;
  }

  private linkOf(engine: DeploymentEngine): Promise<DockerLink> {
    const host = hostOf(engine);
    return host === undefined ? Promise.resolve(this.engines.docker) : this.engines.hosts.link(host);
  }

  private async engineOf(deployment: Deployment, signal?: AbortSignal) {
    const link = await this.linkOf(deployment.engine);
    const client = await link.connect(signal);
    const instance = await link.instance();
    // Unique to the container among those on this engine.
    return { link, client, instance, name: `twb-${instance.slice(0, 6)}-deployment-${deployment.id}` };
  }

  private async volumeOf(deployment: Deployment, paths: ContainerPaths): Promise<DeploymentVolume> {
    const { link, client, instance } = await this.engineOf(deployment);
    const facts = await readEngineFacts(link);
    return new DeploymentVolume({
      deployment,
      paths,
      facts,
      user: containerUser(facts).user,
      client,
      instance,
      image: dockerEngine(deployment).imageId,
    });
  }

  private async mountOf(
    deployment: Deployment,
    paths: ContainerPaths,
    ownerId: number | null,
  ): Promise<ContainerMount> {
    if (hostOf(deployment.engine) !== undefined) return (await this.volumeOf(deployment, paths)).mount();
    if (ownerId !== null) await chownTree(paths.repository, ownerId);
    return { from: paths.repository, to: '/models', writable: false };
  }

  private async plan(
    deployment: Deployment,
    paths: ContainerPaths,
    options: Parameters<typeof ensureNetwork>[2],
  ) {
    const engine = dockerEngine(deployment);
    const { link, client, instance, name } = await this.engineOf(deployment);
    const facts = await readEngineFacts(link);
    const { user, ownerId } = containerUser(facts);
    const image = { id: engine.imageId, reference: engine.image };
    const { release, keepsEntrypoint } = await readImageFacts(client, image);
    const names = { instance, runId: deployment.id, runDir: paths.dir };
    const { http, grpc, metrics } = deployment.ports;
    const input = {
      ...programOf({
        image: image.id,
        keepsEntrypoint,
        command: tritonCommand({
          builtHere: engine.builtHere,
          release: engine.builtHere ? null : release,
          gpus: engine.gpus.length > 0,
          traceFile: containerTraceFile,
          loadAll: true,
          asIs: engine.asIs,
        }),
      }),
      env: { HOME: '/tmp', ...pythonVariables },
      workingDir: '/tmp',
      user,
      mounts: [await this.mountOf(deployment, paths, ownerId)],
      network: {
        kind: 'published' as const,
        name: await ensureNetwork(client, { ...names, role: 'deployment' }, options),
        ports: {
          [containerPorts.http]: http,
          [containerPorts.grpc]: grpc,
          [containerPorts.metrics]: metrics,
        },
        address: engine.listen,
      },
      ...engineShare(facts, engine.gpus),
      sharedMemory: { kind: 'own' as const, bytes: engine.shmSizeMiB * 2 ** 20, shareable: false },
      isLasting: true,
    };
    const labels = {
      ...names,
      role: 'deployment' as const,
      step: 'deploy',
      adoptable: false,
      server: '',
      gpus: engine.gpus,
      key: hashValue(input).slice(0, 32),
    };
    return { name, body: containerBody({ ...input, labels }) };
  }
}

/** Docker restarts the container after a crash and with the daemon. */
export const createDeploymentContainers = (engines: DeploymentEngines): DeploymentServer =>
  new DeploymentContainers(engines);
