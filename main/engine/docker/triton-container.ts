import { setTimeout as sleep } from 'node:timers/promises';
import { WorkbenchError } from '../../contract/errors';
import type { DockerClient } from '../../docker/client';
import { printedInContainer } from '../../docker/container-exec';
import {
  createContainer,
  inspectContainer,
  type Inspected,
  removeContainer,
  startContainer,
  stopContainer,
} from '../../docker/container-life';
import { readContainerStats } from '../../docker/container-stats';
import { labelNames } from '../../docker/containers';
import { followLog } from '../../docker/follow-log';
import { dockerRunCommand } from '../../docker/run-container';
import { leavesRunning } from '../../platform/abort';
import { listProcessesScript, parseProcessList } from '../../platform/process-readings';
import { createTritonClient } from '../../triton/client';
import type { ServerExit, ServerHandle, StartServerInput } from '../engine';
import { portTaken } from '../local/listening-sockets';
import { lastComplaint, TritonLog } from '../serving';
import type { ContainerPlan } from './run-containers';
import { containerPorts } from './triton-command';

const readyDeadlineMs = 120_000;
const pollMs = 100;
const answerLimitMs = 2000;
/** After the engine last failed to respond. */
const unansweredPatienceMs = 5000;

/** Local address for an address of the engine's machine. */
export type Reach = (address: string, signal: AbortSignal) => Promise<string>;

/** Reuses a running container with an identical plan; removes any other of that name. */
async function findRunning(client: DockerClient, plan: ContainerPlan): Promise<string | null> {
  const found = await inspectContainer(client, plan.name);
  if (found === null) return null;
  const same = found.Config.Labels[labelNames.key] === plan.body.Labels?.[labelNames.key];
  if (same && found.State.Running) return found.Id;
  if (found.Config.Labels[labelNames.instance] === plan.body.Labels?.[labelNames.instance]) {
    await removeContainer(client, found.Id);
  }
  return null;
}

/** "127.0.0.1:49153". Throws server-start-failed if the port is not published. */
function publishedAddress(found: Inspected, port: number): string {
  const bindings = found.NetworkSettings.Ports as
    Record<string, { HostIp: string; HostPort: string }[] | null> | undefined;
  const binding = bindings?.[`${port}/tcp`]?.[0];
  if (binding === undefined) {
    throw new WorkbenchError('server-start-failed', `The engine published no address for port ${port}`, {
      remedy: 'Docker must be able to publish ports of its bridge networks; see "docker network ls".',
    });
  }
  return `${binding.HostIp}:${binding.HostPort}`;
}

/** Throws docker-unreachable, docker-failed. */
export const readContainerProcesses = async (client: DockerClient, id: string) =>
  parseProcessList(await printedInContainer(client, id, ['sh', '-c', listProcessesScript]));

/** Removes the container if it does not start. Throws port-taken with the port's owner. */
async function startCreated(
  client: DockerClient,
  id: string,
  start: StartServerInput,
  onTrouble: (text: string) => void,
): Promise<void> {
  try {
    await startContainer(client, id, { signal: start.signal, onTrouble });
  } catch (error) {
    await removeContainer(client, id);
    const fixed = [start.httpPort, start.grpcPort].find((port) => port !== undefined);
    const taken = error instanceof WorkbenchError && error.code === 'port-taken';
    const named = taken ? Number(/:(\d+) is in use/.exec(error.message)?.[1] ?? fixed) : Number.NaN;
    // Port owners on another machine cannot be looked up.
    const isHere = client.address.kind === 'unix';
    throw isHere && Number.isInteger(named) ? await portTaken(named) : error;
  }
}

/**
 * Starts or reuses the container. Throws port-taken, image-missing, container-failed, server-start-failed,
 * out-of-memory.
 */
export async function startTritonContainer(
  client: DockerClient,
  plan: ContainerPlan,
  start: StartServerInput,
  reach: Reach = (address) => Promise.resolve(address),
): Promise<ServerHandle & { readonly containerId: string }> {
  const { signal } = start;
  const trouble = (text: string) => {
    start.onLog([`Docker: ${text}`]);
  };
  start.onCommand(dockerRunCommand(plan.name, plan.body));
  const running = await findRunning(client, plan);
  const id = running ?? (await createContainer(client, plan.name, plan.body, { signal, onTrouble: trouble }));
  if (running !== null) start.onLog([`Triton is already running in ${plan.name} and is reused.`]);
  if (running === null) await startCreated(client, id, start, trouble);
  const log = await TritonLog.open(start.logPath, start.onLog);
  const following = new AbortController();
  const ended: { exit: ServerExit | null } = { exit: null };
  const exited = followLog({
    client,
    id,
    signal: following.signal,
    onTrouble: trouble,
    onLine: (_channel, line) => log.add([line]),
  }).then(async (): Promise<ServerExit> => {
    await log.close();
    const found = await inspectContainer(client, id).catch(() => null);
    const state = found?.State;
    const exit: ServerExit = {
      exitCode: state?.ExitCode ?? null,
      signal: state === undefined ? 'removal of the container' : null,
      outOfMemory: state?.OOMKilled ?? false,
      tail: log.tail,
    };
    ended.exit = exit;
    return exit;
  });
  const stop = async () => {
    // Waits little for an engine that does not respond; the next sweep cleans up.
    const answered = await stopContainer(client, id).then(
      () => true,
      () => false,
    );
    following.abort();
    await exited;
    await removeContainer(client, id, answered ? {} : { patienceMs: unansweredPatienceMs });
  };
  try {
    const found = await inspectContainer(client, id, signal);
    if (found === null)
      throw new WorkbenchError('server-start-failed', 'The Triton container no longer exists');
    const addressOf = (port: number) => reach(publishedAddress(found, port), signal);
    const httpAddress =
      ended.exit === null && found.State.Running ? await addressOf(containerPorts.http) : '';
    const tritonVersion = await awaitReady(httpAddress, start, ended);
    return {
      containerId: id,
      httpAddress,
      grpcAddress: await addressOf(containerPorts.grpc),
      metricsAddress: await addressOf(containerPorts.metrics),
      seenAt: publishedAddress(found, containerPorts.http),
      forClients: {
        httpAddress: `127.0.0.1:${containerPorts.http}`,
        grpcAddress: `127.0.0.1:${containerPorts.grpc}`,
      },
      ...{ tritonVersion, exited, pid: null },
      readMemory: async () => (await readContainerStats(client, id)).memoryBytes,
      readProcesses: () => readContainerProcesses(client, id),
      stop,
      leave: async () => {
        following.abort();
        await exited;
      },
    };
  } catch (error) {
    if (leavesRunning(signal)) following.abort();
    else await stop();
    throw error;
  }
}

/** null while Triton is not ready, or too busy to respond. */
async function versionWhenReady(address: string, signal: AbortSignal): Promise<string | null> {
  const client = createTritonClient(address, { timeoutMs: answerLimitMs });
  try {
    return (await client.serverReady({ signal })) ? (await client.serverMetadata({ signal })).version : null;
  } catch {
    return null;
  }
}

async function awaitReady(
  address: string,
  start: StartServerInput,
  ended: { readonly exit: ServerExit | null },
): Promise<string> {
  const deadline = performance.now() + readyDeadlineMs;
  for (;;) {
    if (start.signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled while Triton started');
    const { exit } = ended;
    if (exit !== null) {
      throw new WorkbenchError(
        exit.outOfMemory === true ? 'out-of-memory' : 'server-start-failed',
        `Triton's container ended with exit code ${String(exit.exitCode)} while it started${lastComplaint(exit.tail)}`,
        { where: start.logPath, details: exit.tail.join('\n') },
      );
    }
    const version = address === '' ? null : await versionWhenReady(address, start.signal);
    if (version !== null) return version;
    if (performance.now() > deadline) {
      throw new WorkbenchError(
        'server-start-failed',
        `Triton was not ready within ${readyDeadlineMs / 1000} s`,
        { where: start.logPath },
      );
    }
    await sleep(pollMs);
  }
}
