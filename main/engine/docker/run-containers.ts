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

/** Containers never run as root; a workbench that does gives them this user instead. */
const plainUser = 1000;

const mebibyte = 2 ** 20;
/** /dev/shm of a step of the client that has one of its own. */
const clientShmBytes = 1024 * mebibyte;

/** What the engine says that decides how containers are made. */
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

/** What the engine gives a container that has these GPUs; names that it does not list are refused when it starts. */
export function engineShare({ cdiDevices = null, ...facts }: EngineFacts, gpus: readonly string[]) {
  const [listed, usual] = [cdiNames(gpus, cdiDevices), cdiNames(gpus, null)];
  const isOther = facts.gpuAccess === 'cdi' && listed !== null && hashValue(listed) !== hashValue(usual);
  const memoryBytes = Math.floor(facts.memoryBytes * memoryShare);
  return { ...facts, gpus, memoryBytes, ...(isOther ? { cdiNames: listed } : {}) };
}

/** "uid:gid" of containers, and the user that folders are given to which they work in, where that is not this one. */
export function containerUser({ rootless }: Pick<EngineFacts, 'rootless'>) {
  const uid = process.getuid?.() ?? plainUser;
  const gid = process.getgid?.() ?? plainUser;
  return {
    ownerId: uid === 0 && !rootless ? plainUser : null,
    user: rootless ? '0:0' : uid === 0 ? `${plainUser}:${plainUser}` : `${uid}:${gid}`,
  };
}

/** Of the memory of the machine: a model that takes all of it must not take the engine with it. */
const memoryShare = 0.9;

interface RunContainersOptions {
  readonly facts: EngineFacts;
  readonly instance: string;
  readonly run: ExecutorRun;
  readonly spec: ExecutorSpec;
  readonly engine: DockerEngineSpec;
  /** `resources` of the product. */
  readonly resources: string;
  /** Folder of the product's bundles. */
  readonly bundles: string;
}

export interface ContainerPlan {
  readonly name: string;
  readonly body: Docker.ContainerCreateOptions;
}

/** What runs in an image, and how it is started there. */
export const programOf = ({
  image,
  command,
  keepsEntrypoint,
}: Pick<ContainerBodyInput, 'image' | 'command' | 'keepsEntrypoint'>) => ({
  ...{ image, command },
  ...(keepsEntrypoint === true ? { keepsEntrypoint } : {}),
});

/** Names, users and bodies of a run's containers. */
export class RunContainers {
  readonly paths: PathMap;
  /** "uid:gid". */
  readonly user: string;
  /** As {@link containerUser}. */
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
    /** Of its model repository, at `/models`. */
    readonly mount: ContainerMount;
    readonly repositoryKey: string;
    /** Of `ensureNetwork`. */
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
   * A step of the client; with a server it shares that container's network, else it has none, or beside a Triton that is
   * there already that of the machine. Where it passes tensors
   * through shared memory, it has the server's /dev/shm in place of one of its own.
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

  /** Stands for a step where files are written to its volumes, and read; it is never started. */
  files(input: { readonly image: string; readonly mounts: readonly ContainerMount[] }): ContainerPlan {
    const { name, body } = this.plan('files', this.labels('client', '', false), {
      ...this.common(),
      ...{ image: input.image, command: ['true'], env: {}, workingDir: '/', mounts: input.mounts },
      gpus: [],
      network: { kind: 'none' },
      sharedMemory: { kind: 'own', bytes: clientShmBytes, shareable: false },
    });
    // The engine unpacks into none whose root is read-only.
    return { name, body: { ...body, HostConfig: { ...body.HostConfig, ReadonlyRootfs: false } } };
  }
}
