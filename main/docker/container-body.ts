import type Docker from 'dockerode';
import { type ContainerLabels, formatLabels } from './containers';
import { cdiNames } from './gpu-access';

const gibibyte = 2 ** 30;

export interface ContainerMount {
  /** Absolute path of the engine's machine, or the name of a volume. */
  readonly from: string;
  readonly to: string;
  readonly writable: boolean;
  readonly isVolume?: boolean;
}

/**
 * The /dev/shm of a container and who else sees it, never the host: its own of that size, which other containers may join
 * where it is shareable; or that of another container.
 */
type ContainerSharedMemory =
  | { readonly kind: 'own'; readonly bytes: number; readonly shareable: boolean }
  | {
      readonly kind: 'joined';
      readonly containerId: string;
      /**
       * It shares the ids of processes too. CUDA takes an exported pointer for its own process's where exporter and
       * importer have the same id, as the first processes of two containers have.
       */
      readonly processes: boolean;
    };

export interface ContainerBodyInput {
  /** Image id "sha256:…": what runs is what was looked at, whatever becomes of the tag. */
  readonly image: string;
  readonly command: readonly [string, ...string[]];
  /** The image's entrypoint starts the command, as in NVIDIA's images; else the command takes its place. */
  readonly keepsEntrypoint?: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  /** "uid:gid", never root. */
  readonly user: string;
  readonly mounts: readonly ContainerMount[];
  readonly labels: ContainerLabels;
  /**
   * `none`; `published`: on the named network with container ports on loopback, the engine choosing where null;
   * `shared`: the network of another container, so that its ports are on 127.0.0.1; `machine`: that of the engine's machine.
   */
  readonly network:
    | { readonly kind: 'none' | 'machine' }
    | {
        readonly kind: 'published';
        readonly name: string;
        readonly ports: Readonly<Record<number, number | null>>;
        /** Of this machine; loopback where absent. */
        readonly address?: string;
      }
    | { readonly kind: 'shared'; readonly containerId: string };
  /** "all", or UUIDs of GPUs and MIG devices; empty: none. */
  readonly gpus: readonly string[];
  /** How the engine is asked for GPUs: by its driver "nvidia" or by CDI device names. */
  readonly gpuAccess: 'runtime' | 'cdi';
  /** Where they are not those of `gpus`. */
  readonly cdiNames?: readonly string[];
  /** The engine is a plain user's: root of a container is that user, and any other id owns nothing of theirs. */
  readonly rootless: boolean;
  /** The engine gives the users of containers other ids: not where they write to folders of ours. */
  readonly remapsUsers: boolean;
  readonly sharedMemory: ContainerSharedMemory;
  readonly memoryBytes: number;
  /** It outlives the workbench, and comes back with the engine and after a crash. */
  readonly isLasting?: boolean;
}

function deviceRequests(
  input: Pick<ContainerBodyInput, 'gpus' | 'gpuAccess' | 'cdiNames'>,
): Docker.DeviceRequest[] {
  if (input.gpus.length === 0) return [];
  if (input.gpuAccess === 'cdi') {
    return [{ Driver: 'cdi', DeviceIDs: [...(input.cdiNames ?? cdiNames(input.gpus, null) ?? [])] }];
  }
  // Where nothing is known of the GPUs, the first stands for the idlest.
  const gpus = input.gpus.map((id) => (id === 'idlest' ? '0' : id));
  // The engine takes either a count or ids; -1 is every GPU.
  return gpus.includes('all')
    ? [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']] }]
    : [{ Driver: 'nvidia', DeviceIDs: [...gpus], Capabilities: [['gpu']] }];
}

/**
 * NVIDIA's images ask for every GPU (NVIDIA_VISIBLE_DEVICES=all), and where NVIDIA's runtime is the engine's default they get
 * it without a device request. Source: nvidia-container-toolkit, internal/config/image/cuda_image.go.
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
  // Nothing of the image is to be in it.
  ...(isVolume ? { VolumeOptions: { NoCopy: true } as Docker.MountSettings['VolumeOptions'] } : {}),
});

/** Beside other containers' processes there is an init already, and the engine takes no second one. */
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

/**
 * The body of `POST /containers/create`: nothing of the host but the mounts, no capability, no root.
 * Pure; a test pins every flag.
 */
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
      // Compilers for GPUs write code there and load it.
      Tmpfs: {
        '/tmp': `rw,${input.gpus.length === 0 ? '' : 'exec,'}nosuid,nodev,mode=1777,size=${4 * gibibyte}`,
      },
      // With an init: it reaps what the main process leaves behind and hands it the signals.
      ...sharedNamespaces(input),
      Memory: input.memoryBytes,
      PidsLimit: 4096,
      Ulimits: [
        // Pinned memory is for GPUs; an engine without CAP_SYS_RESOURCE cannot start a container that asks for it.
        ...(input.gpus.length === 0 || input.rootless ? [] : [{ Name: 'memlock', Soft: -1, Hard: -1 }]),
        { Name: 'stack', Soft: 67_108_864, Hard: 67_108_864 },
      ],
      // Of an engine that crashed, "unless-stopped" is not enough: what still ran is stopped when the engine is back, as if
      // by hand.
      RestartPolicy: { Name: input.isLasting === true ? 'always' : 'no' },
      AutoRemove: false,
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': '256m', 'max-file': input.isLasting === true ? '2' : '1' },
      },
    },
  };
}
