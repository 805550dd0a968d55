import type Docker from 'dockerode';
import { WorkbenchError } from '../contract/errors';
import { leavesRunning } from '../platform/abort';
import type { DockerClient } from './client';
import {
  createContainer,
  inspectContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from './container-life';
import { followLog, type LogChannel } from './follow-log';
import { labelNames } from './labels';

const keptLines = 200;
const stopGraceS = 3;
/** An engine that is away keeps nobody who has cancelled. */
const cancelPatienceMs = 5000;

interface RunContainerInput {
  readonly client: DockerClient;
  readonly name: string;
  readonly body: Docker.ContainerCreateOptions;
  readonly signal: AbortSignal;
  readonly onLine: (channel: LogChannel, line: string) => void;
  readonly onTrouble: (text: string) => void;
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly aborted: boolean;
  /** Last lines of both channels, oldest first. */
  readonly tail: readonly string[];
}

/** It was taken up after it had done its work while nobody watched: to start it again would do that anew. */
async function endedWell({ client, body, signal }: RunContainerInput, id: string): Promise<boolean> {
  if (body.Labels?.[labelNames.adoptable] !== 'true') return false;
  // An engine that is away is waited for by the start.
  const state = (await inspectContainer(client, id, signal).catch(() => null))?.State;
  return state?.Status === 'exited' && state.ExitCode === 0;
}

/** What is left is ended by the next sweep: it must neither hold up a cancel nor cost what was done. */
async function removeQuietly({ client, signal, onTrouble }: RunContainerInput, id: string): Promise<void> {
  const options = { patienceMs: signal.aborted ? cancelPatienceMs : undefined };
  await removeContainer(client, id, options).catch((error: unknown) => {
    onTrouble(error instanceof Error ? error.message : String(error));
  });
}

/**
 * Runs a program as the main process of a container of its own and removes the container when it has ended. A container
 * of this name and key that is there already, running or ended, is taken up where it is.
 * Abort stops it, unless its reason is to leave it running. Throws what creating and starting throw, and container-failed when it disappears.
 */
export async function runContainer(input: RunContainerInput): Promise<ContainerEnd> {
  const { client, name, signal } = input;
  const tail: string[] = [];
  const id = await createContainer(client, name, input.body, input);
  const stop = () => {
    if (leavesRunning(signal)) return;
    void stopContainer(client, id, stopGraceS).catch(() => undefined);
  };
  try {
    if (!(await endedWell(input, id))) await startContainer(client, id, input);
    signal.addEventListener('abort', stop, { once: true });
    await followLog({
      client,
      id,
      signal,
      onTrouble: input.onTrouble,
      onLine: (channel, line) => {
        tail.push(line);
        if (tail.length > keptLines) tail.shift();
        input.onLine(channel, line);
      },
    });
    if (signal.aborted) return { exitCode: 130, oomKilled: false, aborted: true, tail };
    const found = await inspectContainer(client, id, signal);
    if (found === null) {
      throw new WorkbenchError('container-failed', `The container ${name} was removed while it worked`, {
        details: tail.join('\n'),
      });
    }
    const { ExitCode, OOMKilled } = found.State;
    return { exitCode: ExitCode, oomKilled: OOMKilled, aborted: false, tail };
  } catch (error) {
    if (signal.aborted) return { exitCode: 130, oomKilled: false, aborted: true, tail };
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    if (!leavesRunning(signal)) await removeQuietly(input, id);
  }
}

/** The `docker run` command line that makes the same container, for people to read and copy; pure. */
export function dockerRunCommand(name: string, body: Docker.ContainerCreateOptions): string[] {
  const host = body.HostConfig ?? {};
  const [entrypoint = ''] = body.Entrypoint === undefined ? [] : [body.Entrypoint].flat();
  const flags: (readonly [string, string])[] = [
    ['--name', name],
    ['--user', body.User ?? ''],
    ['--network', host.NetworkMode ?? ''],
    ...Object.entries(
      (host.PortBindings ?? {}) as Record<string, { HostIp: string; HostPort: string }[]>,
    ).flatMap(([port, bindings]) =>
      bindings.map((binding) => ['--publish', `${binding.HostIp}:${binding.HostPort}:${port}`] as const),
    ),
    ...(host.DeviceRequests ?? []).flatMap(deviceFlags),
    ...(host.Mounts ?? []).map(
      (mount) =>
        ['--volume', `${mount.Source}:${mount.Target}:${mount.ReadOnly === true ? 'ro' : 'rw'}`] as const,
    ),
    ...(body.Env ?? []).map((entry) => ['--env', entry] as const),
    ['--workdir', body.WorkingDir ?? '/'],
    ...Object.entries((host.Tmpfs ?? {}) as Record<string, string>).map(
      ([path, options]) => ['--tmpfs', `${path}:${options}`] as const,
    ),
    ...(host.ShmSize === undefined ? [] : [['--shm-size', String(host.ShmSize)] as const]),
    ['--memory', String(host.Memory ?? 0)],
    ['--pids-limit', String(host.PidsLimit ?? 0)],
    ...(host.Ulimits ?? []).map(
      (limit) => ['--ulimit', `${String(limit.Name)}=${String(limit.Soft)}:${String(limit.Hard)}`] as const,
    ),
    ...((host.CapDrop ?? []) as string[]).map((capability) => ['--cap-drop', capability] as const),
    ...((host.SecurityOpt ?? []) as string[]).map((option) => ['--security-opt', option] as const),
    ['--ipc', host.IpcMode ?? ''],
    ...(host.PidMode === undefined ? [] : [['--pid', host.PidMode] as const]),
    ['--entrypoint', entrypoint],
  ];
  return [
    'docker',
    'run',
    '--detach',
    ...(host.Init === true ? ['--init'] : []),
    ...(host.ReadonlyRootfs === true ? ['--read-only'] : []),
    ...flags.flatMap(([flag, value]) => [flag, value]),
    body.Image ?? '',
    ...(body.Cmd ?? []),
  ];
}

/** Devices of the Container Device Interface have a flag of their own. */
function deviceFlags(request: Docker.DeviceRequest): (readonly [string, string])[] {
  const ids = request.DeviceIDs ?? [];
  if (request.Driver === 'cdi') return ids.map((id) => ['--device', id]);
  return [['--gpus', ids.length > 0 ? `"device=${ids.join(',')}"` : 'all']];
}
