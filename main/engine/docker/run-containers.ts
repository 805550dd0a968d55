import type Docker from 'dockerode';
import type { DockerEngineSpec, PerformanceSpec } from '../../contract/run/run-spec';
import { sharedMemoryOf } from '../../contract/run/sweep';
import { containerBody, type ContainerBodyInput, type ContainerMount } from '../../docker/container-body';
import type { ContainerLabels } from '../../docker/containers';
import { cdiDevicesOf, type DockerLink, isRootless, remapsUsers, runtimesOf } from '../../docker/docker-link';
import { cdiNames, gpuAccessOf } from '../../docker/gpu-access';
import { hashValue } from '../../platform/files';
import { pythonVariables, toolkitVariables } from '../../platform/process';
import type { ExecutorRun, ExecutorSpec } from '../engine';
import { containerPaths, type PathMap } from './run-files';

/** uid and gid in containers if the workbench runs as root: containers never do. */
const plainUser = 1000;

const mebibyte = 2 ** 20;
/** /dev/shm of a client step with its own IPC namespace. */
const clientShmBytes = 1024 * mebibyte;

/** Properties of the engine that affect how containers are created. */
export interface EngineFacts extends Pick<ContainerBodyInput, 'rootless' | 'remapsUsers' | 'gpuAccess'> {
  readonly memoryBytes: number;
  /** null or absent: not listed. */
  readonly cdiDevices?: readonly string[] | null;
}

/** Throws docker-unreachable. */
export async function readEngineFacts(link: DockerLink): Promise<EngineFacts> {
  const info = await link.info();
  const cdiDevices = cdiDevicesOf(info);
  return {
    memoryBytes: info.MemTotal,
    rootless: isRootless(info),
    remapsUsers: remapsUsers(info),
    gpuAccess: gpuAccessOf({ runtimes: runtimesOf(info), cdiDevices }),
    cdiDevices,
  };
}

/** How the engine exposes these GPUs; unknown CDI names fail when the container starts. */
export function engineShare({ cdiDevices = null, ...facts }: EngineFacts, gpus: readonly string[]) {
  const [listed, usual] = [cdiNames(gpus, cdiDevices), cdiNames(gpus, null)];
  const isOther = facts.gpuAccess === 'cdi' && listed !== null && hashValue(listed) !== hashValue(usual);
  const memoryBytes = Math.floor(facts.memoryBytes * memoryShare);
  return { ...facts, gpus, memoryBytes, ...(isOther ? { cdiNames: listed } : {}) };
}

/** "uid:gid" of containers, and the owner to give writable folders to, if it is another one. */
export function containerUser({ rootless }: Pick<EngineFacts, 'rootless'>) {
  const uid = process.getuid?.() ?? plainUser;
  const gid = process.getgid?.() ?? plainUser;
  return {
    ownerId: uid === 0 && !rootless ? plainUser : null,
    user: rootless ? '0:0' : uid === 0 ? `${plainUser}:${plainUser}` : `${uid}:${gid}`,
  };
}

/** Fraction of the machine's memory: a model must not exhaust it and take the engine down. */
const memoryShare = 0.9;

interface RunContainersOptions {
  readonly facts: EngineFacts;
  readonly instance: string;
  readonly run: ExecutorRun;
  readonly spec: ExecutorSpec;
  readonly engine: DockerEngineSpec;
  readonly resources: string;
  readonly bundles: string;
}

export interface ContainerPlan {
  readonly name: string;
  readonly body: Docker.ContainerCreateOptions;
}

/** Command and entrypoint for a program in an image. */
export const programOf = ({
  image,
  command,
  keepsEntrypoint,
}: Pick<ContainerBodyInput, 'image' | 'command' | 'keepsEntrypoint'>) => ({
  image,
  command,
  ...(keepsEntrypoint === true ? { keepsEntrypoint } : {}),
});

/** Names, users and creation requests of a run's containers. */
export class RunContainers {
  readonly paths: PathMap;
  /** "uid:gid". */
  readonly user: string;
  /** See {@link containerUser}. */
  readonly ownerId: number | null;

  constructor(private readonly options: RunContainersOptions) {
    const { run } = options;
    this.paths = containerPaths({ ...options, runDir: run.dir });
    const { user, ownerId } = containerUser(options.facts);
    this.ownerId = ownerId;
    this.user = user;
  }

  private plan(task: string, labels: Omit<ContainerLabels, 'key'>, body: Omit<ContainerBodyInput, 'labels'>) {
    const key = hashValue([body, labels.server, labels.role]).slice(0, 32);
    const { instance, run } = this.options;
    return {
      name: `twb-${instance.slice(0, 6)}-${run.runId}-${task}-${key.slice(0, 8)}`,
      body: containerBody({ ...body, labels: { ...labels, key } }),
    };
  }

  private common() {
    const { facts, engine } = this.options;
    return { user: this.user, ...engineShare(facts, engine.gpus) };
  }

  private labels(role: ContainerLabels['role'], server: string, adoptable: boolean) {
    const { instance, run, engine } = this.options;
    return {
      instance,
      role,
      runId: run.runId,
      runDir: run.dir,
      step: run.step(),
      adoptable,
      server,
      gpus: engine.gpus,
    };
  }

  /** The Triton container of the run. */
  triton(input: {
    readonly image: string;
    readonly keepsEntrypoint?: boolean;
    readonly command: readonly [string, ...string[]];
    readonly mount: ContainerMount;
    readonly repositoryKey: string;
    readonly network: string;
  }): ContainerPlan {
    const { engine, spec } = this.options;
    return this.plan('triton', this.labels('triton', input.repositoryKey, true), {
      ...this.common(),
      ...programOf(input),
      env: { HOME: '/tmp', ...pythonVariables },
      workingDir: '/tmp',
      mounts: [input.mount],
      network: {
        kind: 'published',
        name: input.network,
        ports: { 8000: engine.httpPort ?? null, 8001: engine.grpcPort ?? null, 8002: null },
      },
      sharedMemory: {
        kind: 'own',
        bytes: engine.shmSizeMiB * mebibyte,
        shareable: sharedMemoryOf(spec.performance) !== 'none',
      },
    });
  }

  /**
   * A client step. It shares the network of the server's container; without one it has no network, or the host's for a
   * running Triton. With shared memory it also shares the server's /dev/shm.
   */
  client(input: {
    readonly image: string;
    readonly keepsEntrypoint?: boolean;
    readonly task: string;
    readonly command: readonly [string, ...string[]];
    readonly serverId: string | null;
    readonly adoptable: boolean;
    readonly mounts: readonly ContainerMount[];
    readonly sharedMemory: PerformanceSpec['sharedMemory'];
  }): ContainerPlan {
    const { serverId, sharedMemory } = input;
    return this.plan(input.task, this.labels('client', serverId ?? '', input.adoptable), {
      ...this.common(),
      ...programOf(input),
      env: { HOME: '/tmp', ...toolkitVariables },
      workingDir: '/workbench/run',
      mounts: input.mounts,
      network:
        serverId === null
          ? { kind: this.options.run.isBeside === true ? 'machine' : 'none' }
          : { kind: 'shared', containerId: serverId },
      sharedMemory:
        serverId === null || sharedMemory === 'none'
          ? { kind: 'own', bytes: clientShmBytes, shareable: false }
          : { kind: 'joined', containerId: serverId, processes: sharedMemory === 'cuda' },
    });
  }

  /** A container that is never started: the archive API reads and writes volumes through it. */
  files(input: { readonly image: string; readonly mounts: readonly ContainerMount[] }): ContainerPlan {
    const { name, body } = this.plan('files', this.labels('client', '', false), {
      ...this.common(),
      image: input.image,
      command: ['true'],
      env: {},
      workingDir: '/',
      mounts: input.mounts,
      gpus: [],
      network: { kind: 'none' },
      sharedMemory: { kind: 'own', bytes: clientShmBytes, shareable: false },
    });
    // The archive API refuses a read-only root.
    return { name, body: { ...body, HostConfig: { ...body.HostConfig, ReadonlyRootfs: false } } };
  }
}
