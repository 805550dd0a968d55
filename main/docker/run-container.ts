import type Docker from 'dockerode';
import { WorkbenchError } from '../contract/errors';
import { leavesRunning } from '../platform/abort';
import type { DockerClient } from './client';
import {
  cancelPatienceMs,
  createContainer,
  inspectContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from './container-life';
import { labelNames } from './containers';
import { followLog, type LogChannel } from './follow-log';

const keptLines = 200;
const stopGraceS = 3;

interface RunContainerInput {
  readonly client: DockerClient;
  readonly name: string;
  readonly body: Docker.ContainerCreateOptions;
  readonly signal: AbortSignal;
  readonly onLine: (channel: LogChannel, line: string) => void;
  readonly onTrouble: (text: string) => void;
  /** After the end and before removal, to collect output. */
  readonly onEnded?: (() => Promise<void>) | undefined;
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly aborted: boolean;
  /** Last lines of both channels, oldest first. */
  readonly tail: readonly string[];
}

/** Reused container that finished unobserved; restarting would repeat its work. */
async function endedWell({ client, body, signal }: RunContainerInput, id: string): Promise<boolean> {
  if (body.Labels?.[labelNames.adoptable] !== 'true') return false;
  // The start handles an unreachable engine.
  const state = (await inspectContainer(client, id, signal).catch(() => null))?.State;
  return state?.Status === 'exited' && state.ExitCode === 0;
}

/** Left to the next sweep if it fails: neither a cancel nor the result may depend on it. */
async function removeQuietly({ client, signal, onTrouble }: RunContainerInput, id: string): Promise<void> {
  const options = { patienceMs: signal.aborted ? cancelPatienceMs : undefined };
  await removeContainer(client, id, options).catch((error: unknown) => {
    onTrouble(error instanceof Error ? error.message : String(error));
  });
}

/**
 * Runs a program in its own container, and removes it afterwards. Reuses a container of this name and key, running or
 * ended. Abort stops it, unless the reason is to leave it running. Throws errors of create and start, and
 * container-failed if it disappears.
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
    await input.onEnded?.();
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

type Flag = readonly [name: string, value: string];

const flag = (name: string, value: string | number | undefined, otherwise = ''): Flag => [
  name,
  String(value ?? otherwise),
];

const flagEach = (name: string, values: readonly string[] | undefined): readonly Flag[] =>
  (values ?? []).map((value) => [name, value]);

const flagIfSet = (name: string, value: string | number | undefined): readonly Flag[] =>
  value === undefined ? [] : [[name, String(value)]];

type PortBindings = Readonly<Record<string, readonly { HostIp: string; HostPort: string }[]>>;

const volumeFlag = ({ Source, Target, ReadOnly }: Docker.MountSettings): Flag =>
  flag('--volume', `${Source}:${Target}:${ReadOnly === true ? 'ro' : 'rw'}`);

/** Equivalent `docker run` command for display. */
export function dockerRunCommand(name: string, body: Docker.ContainerCreateOptions): string[] {
  const host = body.HostConfig ?? {};
  const flags: readonly Flag[] = [
    flag('--name', name),
    flag('--user', body.User),
    flag('--network', host.NetworkMode),
    ...(host.RestartPolicy?.Name === 'always' ? [flag('--restart', 'always')] : []),
    ...Object.entries((host.PortBindings ?? {}) as PortBindings).flatMap(([port, bindings]) =>
      bindings.map(({ HostIp, HostPort }) => flag('--publish', `${HostIp}:${HostPort}:${port}`)),
    ),
    ...(host.DeviceRequests ?? []).flatMap(deviceFlags),
    ...(host.Mounts ?? []).map(volumeFlag),
    ...flagEach('--env', body.Env),
    flag('--workdir', body.WorkingDir, '/'),
    ...Object.entries((host.Tmpfs ?? {}) as Record<string, string>).map(([path, options]) =>
      flag('--tmpfs', `${path}:${options}`),
    ),
    ...flagIfSet('--shm-size', host.ShmSize),
    flag('--memory', host.Memory, '0'),
    flag('--pids-limit', host.PidsLimit, '0'),
    ...(host.Ulimits ?? []).map(({ Name, Soft, Hard }) =>
      flag('--ulimit', `${String(Name)}=${String(Soft)}:${String(Hard)}`),
    ),
    ...flagEach('--cap-drop', host.CapDrop as string[] | undefined),
    ...flagEach('--security-opt', host.SecurityOpt as string[] | undefined),
    flag('--ipc', host.IpcMode),
    ...flagIfSet('--pid', host.PidMode),
    ...flagIfSet('--entrypoint', [body.Entrypoint].flat()[0]),
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

/** CDI devices use `--device`. */
function deviceFlags(request: Docker.DeviceRequest): (readonly [string, string])[] {
  const ids = request.DeviceIDs ?? [];
  if (request.Driver === 'cdi') return ids.map((id) => ['--device', id]);
  return [['--gpus', ids.length > 0 ? `"device=${ids.join(',')}"` : 'all']];
}
