import type Docker from 'dockerode';

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
