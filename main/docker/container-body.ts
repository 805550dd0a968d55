import type Docker from 'dockerode';
import { type ContainerLabels, formatLabels } from './containers';
import { cdiNames } from './gpu-access';

const gibibyte = 2 ** 30;

export interface ContainerMount {
  /** Absolute path on the engine's machine, or volume name. */
  readonly from: string;
  readonly to: string;
  readonly writable: boolean;
  readonly isVolume?: boolean;
}

/** /dev/shm of a container, never the host's: its own (optionally shareable), or another container's. */
type ContainerSharedMemory =
  | { readonly kind: 'own'; readonly bytes: number; readonly shareable: boolean }
  | {
      readonly kind: 'joined';
      readonly containerId: string;
      /**
       * Also share the PID namespace. CUDA mistakes an exported pointer for its own process's if both have the same
       * process id, as first processes of containers do.
       */
      readonly processes: boolean;
    };

export interface ContainerBodyInput {
  /** Image id "sha256:…", so that moved tags have no effect. */
  readonly image: string;
  readonly command: readonly [string, ...string[]];
  /** Whether the image's entrypoint starts the command, as in NVIDIA's images; otherwise the command replaces it. */
  readonly keepsEntrypoint?: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  /** "uid:gid", never root. */
  readonly user: string;
  readonly mounts: readonly ContainerMount[];
  readonly labels: ContainerLabels;
  /** `published`: ports on loopback, null chosen by the engine. `shared`: another container's. `machine`: the host's. */
  readonly network:
    | { readonly kind: 'none' | 'machine' }
    | {
        readonly kind: 'published';
        readonly name: string;
        readonly ports: Readonly<Record<number, number | null>>;
        /** Published address; default loopback. */
        readonly address?: string;
      }
    | { readonly kind: 'shared'; readonly containerId: string };
  /** "all", or UUIDs of GPUs and MIG devices. */
  readonly gpus: readonly string[];
  /** By driver "nvidia", or by CDI device names. */
  readonly gpuAccess: 'runtime' | 'cdi';
  /** If they differ from `gpus`. */
  readonly cdiNames?: readonly string[];
  /** Rootless engine: root in containers is the engine's user; other ids have no access to its files. */
  readonly rootless: boolean;
  /** User namespace remapping; does not apply to containers that write to mounted folders. */
  readonly remapsUsers: boolean;
  readonly sharedMemory: ContainerSharedMemory;
  readonly memoryBytes: number;
  /** Restart with the engine and after crashes. */
  readonly isLasting?: boolean;
}

function deviceRequests(
  input: Pick<ContainerBodyInput, 'gpus' | 'gpuAccess' | 'cdiNames'>,
): Docker.DeviceRequest[] {
  if (input.gpus.length === 0) return [];
  if (input.gpuAccess === 'cdi') {
    return [{ Driver: 'cdi', DeviceIDs: [...(input.cdiNames ?? cdiNames(input.gpus, null) ?? [])] }];
  }
  // With unknown GPUs, the first stands for the idlest.
  const gpus = input.gpus.map((id) => (id === 'idlest' ? '0' : id));
  // The API takes a count (-1: all) or ids.
  return gpus.includes('all')
    ? [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']] }]
    : [{ Driver: 'nvidia', DeviceIDs: [...gpus], Capabilities: [['gpu']] }];
}

/**
 * NVIDIA's images set NVIDIA_VISIBLE_DEVICES=all, which NVIDIA's runtime as the engine's default honors without a
 * device request. Source: nvidia-container-toolkit, internal/config/image/cuda_image.go.
 */
export const noGpuVariables = { NVIDIA_VISIBLE_DEVICES: 'void' } as const;

const variables = ({ env, gpus }: ContainerBodyInput): string[] =>
  Object.entries({ ...env, ...(gpus.length === 0 ? noGpuVariables : {}) }).map(
    ([name, value]) => `${name}=${value}`,
  );

function portBindings(network: ContainerBodyInput['network']): Docker.PortMap {
  if (network.kind !== 'published') return {};
  return Object.fromEntries(
    Object.entries(network.ports).map(([port, host]) => [
      `${port}/tcp`,
      [{ HostIp: network.address ?? '127.0.0.1', HostPort: host === null ? '' : String(host) }],
    ]),
  );
}

const mountSettings = ({ from, to, writable, isVolume = false }: ContainerMount): Docker.MountSettings => ({
  Type: isVolume ? 'volume' : 'bind',
  Source: from,
  Target: to,
  ReadOnly: !writable,
  // Do not copy the image's files.
  ...(isVolume ? { VolumeOptions: { NoCopy: true } as Docker.MountSettings['VolumeOptions'] } : {}),
});

/** A joined PID namespace has an init already, and Docker rejects a second one. */
function sharedNamespaces({ sharedMemory }: ContainerBodyInput): Docker.HostConfig {
  if (sharedMemory.kind === 'own') {
    const { bytes, shareable } = sharedMemory;
    return { IpcMode: shareable ? 'shareable' : 'private', ShmSize: bytes, Init: true };
  }
  const other = `container:${sharedMemory.containerId}`;
  return sharedMemory.processes
    ? { IpcMode: other, PidMode: other, Init: false }
    : { IpcMode: other, Init: true };
}

const networkModes = { none: 'none', machine: 'host' } as const;

/** Body of `POST /containers/create`: only the given mounts, no capabilities, not root. A test pins every flag. */
export function containerBody(input: ContainerBodyInput): Docker.ContainerCreateOptions {
  const bindings = portBindings(input.network);
  const networkMode =
    input.network.kind === 'shared'
      ? `container:${input.network.containerId}`
      : input.network.kind === 'published'
        ? input.network.name
        : networkModes[input.network.kind];
  return {
    Image: input.image,
    ...(input.keepsEntrypoint === true
      ? { Cmd: [...input.command] }
      : { Entrypoint: [input.command[0]], Cmd: input.command.slice(1) }),
    Env: variables(input),
    WorkingDir: input.workingDir,
    User: input.user,
    Labels: formatLabels(input.labels),
    Tty: false,
    OpenStdin: false,
    StopSignal: 'SIGTERM',
    ExposedPorts: Object.fromEntries(Object.keys(bindings).map((port) => [port, {}])),
    HostConfig: {
      NetworkMode: networkMode,
      PortBindings: bindings,
      Mounts: input.mounts.map(mountSettings),
      DeviceRequests: deviceRequests(input),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ...(input.remapsUsers ? { UsernsMode: 'host' } : {}),
      Privileged: false,
      ReadonlyRootfs: true,
      // GPU compilers write and load code here.
      Tmpfs: {
        '/tmp': `rw,${input.gpus.length === 0 ? '' : 'exec,'}nosuid,nodev,mode=1777,size=${4 * gibibyte}`,
      },
      // The init reaps orphans and forwards signals.
      ...sharedNamespaces(input),
      Memory: input.memoryBytes,
      PidsLimit: 4096,
      Ulimits: [
        // For pinned GPU memory; engines without CAP_SYS_RESOURCE reject it.
        ...(input.gpus.length === 0 || input.rootless ? [] : [{ Name: 'memlock', Soft: -1, Hard: -1 }]),
        { Name: 'stack', Soft: 67_108_864, Hard: 67_108_864 },
      ],
      // After an engine crash "unless-stopped" treats running containers as stopped manually.
      RestartPolicy: { Name: input.isLasting === true ? 'always' : 'no' },
      AutoRemove: false,
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': '256m', 'max-file': input.isLasting === true ? '2' : '1' },
      },
    },
  };
}
