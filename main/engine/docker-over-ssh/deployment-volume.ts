import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Deployment } from '../../contract/deployment/deployment';
import { WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import type { DockerClient } from '../../docker/client';
import { containerBody, type ContainerMount } from '../../docker/container-body';
import { removeContainer } from '../../docker/container-life';
import { listContainers } from '../../docker/containers';
import { runContainer } from '../../docker/run-container';
import {
  createVolume,
  listVolumes,
  machineHolder,
  type OwnVolume,
  removeVolumes,
} from '../../docker/volumes';
import { hashValue, replaceFile } from '../../platform/files';
import { jsonOrNull } from '../../platform/parse-json';
import { readPlainText } from '../../platform/plain-entry';
import type { ContainerPlan, EngineFacts } from '../docker/run-containers';
import type { FilesListener } from '../docker/run-files';
import type { DeploymentPaths } from '../engine';
import {
  changedIn,
  emptyMirror,
  type Mirror,
  mirrored,
  mirrorSchema,
  readFolder,
  whileChanging,
} from './folder-volume';
import { volumeMount, VolumeTransfer } from './volume-transfer';

/** Record in the deployment's folder: which volume has its repository, and what is in it. */
const recordName = 'volume.json';
const recordSchema = z.strictObject({ host: z.string(), mirror: mirrorSchema });

const inside = '/workbench/files';
const helperShmBytes = 64 * 2 ** 20;

/** Hard links in the volume: a candidate shares the files of its version, which are not sent again. */
const linkScript =
  'set -e; while [ $# -gt 0 ]; do mkdir -p "$(dirname "$2")"; ln -f -- "$1" "$2"; shift 2; done';

interface DeploymentVolumeOptions {
  readonly client: DockerClient;
  readonly instance: string;
  readonly deployment: Pick<Deployment, 'id'>;
  readonly paths: Pick<DeploymentPaths, 'dir' | 'repository'>;
  readonly image: string;
  readonly facts: EngineFacts;
  /** "uid:gid" of its containers. */
  readonly user: string;
}

/** The model repository of a deployment on a machine whose Docker Engine cannot mount local folders. */
export class DeploymentVolume {
  private readonly recordFile: string;
  private readonly transfer: VolumeTransfer;

  constructor(private readonly options: DeploymentVolumeOptions) {
    const { paths, client, user, image } = options;
    this.recordFile = join(paths.dir, recordName);
    const files = (input: { readonly image: string; readonly mounts: readonly ContainerMount[] }) => {
      const { name, body } = this.helper(['true'], input.mounts);
      // The archive API refuses a read-only root.
      return { name, body: { ...body, HostConfig: { ...body.HostConfig, ReadonlyRootfs: false } } };
    };
    this.transfer = new VolumeTransfer({ client, containers: { user, files }, image: () => image });
  }

  async mount(): Promise<ContainerMount> {
    const mirror = await this.known();
    if (mirror !== null) return volumeMount(mirror.volume, '/models', false);
    throw new WorkbenchError('server-start-failed', 'The files of the deployment are not on its host');
  }

  /** Mirrors the repository. Throws docker-unreachable, docker-failed, container-failed, run-folder-unsafe. */
  async sync(listener: FilesListener): Promise<void> {
    const { paths } = this.options;
    const mirror = (await this.known()) ?? (await this.created(listener));
    const content = await readFolder(paths.repository, mirror.files);
    const { linked, missing, replaced, gone } = changedIn(mirror, content, paths.repository);
    const at = (path: string) => join(inside, path);
    // After an interruption the next sync completes the mirror.
    if (linked.length + missing.files.length + missing.folders.length + replaced.length + gone.length > 0) {
      await this.keep(whileChanging(mirror, content));
    }
    const removed = async (paths: readonly string[]) => {
      if (paths.length > 0) await this.run(['rm', '-rf', '--', ...paths.map(at)], mirror.volume, listener);
    };
    await removed(replaced);
    if (linked.length > 0) {
      const pairs = linked.flatMap(({ from, to }) => [at(from), at(to)]);
      await this.run(['sh', '-c', linkScript, 'sh', ...pairs], mirror.volume, listener);
    }
    await this.transfer.put(mirror.volume, 'the model repository', missing, listener);
    await removed(gone);
    await this.keep(mirrored(mirror, content));
  }

  /** Throws docker-unreachable, and docker-failed where the engine keeps the volume. */
  async remove(): Promise<void> {
    const { client, instance, deployment, paths } = this.options;
    // A container of an interrupted transfer keeps its volume in use.
    for (const { info, labels } of await listContainers(client, instance)) {
      if (labels.role === 'client' && labels.runId === deployment.id && labels.runDir === paths.dir)
        await removeContainer(client, info.id);
    }
    const isOwn = ({ run }: OwnVolume) => run?.role === 'deployment' && run.runId === deployment.id;
    await removeVolumes(client, instance, isOwn);
    const left = (await listVolumes(client, instance)).find(isOwn);
    if (left !== undefined) {
      throw new WorkbenchError('docker-failed', `The volume ${left.name} could not be removed`, {
        remedy: `See which container has it: docker -H ${client.address.host} ps -a --filter volume=${left.name}`,
      });
    }
    await rm(this.recordFile, { force: true });
  }

  /** null if the engine has no volume recorded here. */
  private async known(): Promise<Mirror | null> {
    const { client, instance } = this.options;
    const text = await readPlainText(this.recordFile, fileLimits.stepJson.bytes).catch(() => null);
    if (text === null) return null;
    const found = recordSchema.safeParse(jsonOrNull(text));
    if (!found.success || found.data.host !== client.address.host) return null;
    const { mirror } = found.data;
    return (await listVolumes(client, instance)).some(({ name }) => name === mirror.volume) ? mirror : null;
  }

  private async created({ signal, say }: FilesListener): Promise<Mirror> {
    const { client, instance, deployment, paths } = this.options;
    const { id } = deployment;
    const name = `twb-${instance.slice(0, 6)}-deployment-${id}-${randomBytes(4).toString('hex')}`;
    const run = { instance, runId: id, runDir: paths.dir, role: 'deployment' as const };
    const holder = await machineHolder();
    await createVolume(client, { name, instance, run, holder }, { signal, onTrouble: say });
    const mirror = emptyMirror(name);
    await this.keep(mirror);
    return mirror;
  }

  private keep(mirror: Mirror): Promise<void> {
    const { host } = this.options.client.address;
    return replaceFile(this.recordFile, JSON.stringify({ host, mirror }));
  }

  private async run(
    command: readonly [string, ...string[]],
    volume: string,
    { signal, say }: FilesListener,
  ): Promise<void> {
    const { client } = this.options;
    const plan = this.helper(command, [volumeMount(volume, inside, true)]);
    const { exitCode, tail } = await runContainer({
      client,
      ...plan,
      signal,
      onTrouble: say,
      onLine: (_channel, line) => say(line),
    });
    if (exitCode === 0) return;
    throw new WorkbenchError(
      'container-failed',
      `${command[0]} ended with exit code ${exitCode} on the host`,
      {
        details: tail.join('\n'),
      },
    );
  }

  /** A helper container without a run; the next sweep removes it if this process dies. */
  private helper(command: readonly [string, ...string[]], mounts: readonly ContainerMount[]): ContainerPlan {
    const { instance, deployment, paths, image, facts, user } = this.options;
    const { id } = deployment;
    const input = {
      image,
      command,
      env: {},
      workingDir: '/',
      user,
      mounts,
      gpus: [],
      network: { kind: 'none' as const },
      ...facts,
      sharedMemory: { kind: 'own' as const, bytes: helperShmBytes, shareable: false },
      memoryBytes: Math.floor(facts.memoryBytes / 4),
    };
    const labels = {
      instance,
      role: 'client' as const,
      runId: id,
      runDir: paths.dir,
      step: 'deploy',
      adoptable: false,
      server: '',
      gpus: [],
      key: hashValue(input).slice(0, 32),
    };
    const name = `twb-${instance.slice(0, 6)}-files-${id}-${randomBytes(4).toString('hex')}`;
    return { name, body: containerBody({ ...input, labels }) };
  }
}
