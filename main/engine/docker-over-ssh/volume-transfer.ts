import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunSpec } from '../../contract/run/run-spec';
import { ask, type DockerClient, statusOf } from '../../docker/client';
import type { ContainerMount } from '../../docker/container-body';
import { createContainer, persist, removeContainer } from '../../docker/container-life';
import { createVolume, getArchive, listVolumes, machineHolder, putArchive } from '../../docker/volumes';
import { hashFile, hashValue } from '../../platform/files';
import type { RunContainers } from '../docker/run-containers';
import { type FilesListener, inputPairs } from '../docker/run-files';
import { type Owner, packFiles, type TarContent, type Unpacked, unpackFiles } from './folder-tar';
import { contentHash, readFolder } from './folder-volume';

/** Last file of a transfer: marks it as complete. */
const complete = '.complete';
/** Resources that containers execute; the rest is only used here. */
const programs: ReadonlySet<string> = new Set(['models', 'own', 'serving', 'toolkit']);

interface SharedVolumesOptions {
  readonly client: DockerClient;
  readonly instance: string;
  readonly spec: Pick<RunSpec, 'model'>;
  readonly resources: string;
  readonly bundles: string;
  readonly transfer: VolumeTransfer;
}

interface SharedFolder {
  readonly title: string;
  /** Mount path in containers. */
  readonly to: string;
  readonly content: TarContent;
  readonly hash: string;
}

/** A folder as `name` in the volume, '' for its root. */
async function folderParts(root: string, name: string, isLeftOut?: (path: string) => boolean) {
  const { files, folders } = await readFolder(root, {}, isLeftOut);
  const inVolume = (path: string) => [name, path].filter((part) => part !== '').join('/');
  return {
    folders: folders.map(inVolume),
    files: [...files].map(([path, { sha256 }]) => ({ path: inVolume(path), from: join(root, path), sha256 })),
    hashes: [...files].map(([path, { sha256 }]) => [inVolume(path), sha256] as const),
  };
}

async function fileParts(path: string, name: string) {
  const sha256 = await hashFile(path);
  return { folders: [], files: [{ path: name, from: path, sha256 }], hashes: [[name, sha256] as const] };
}

type Parts = Awaited<ReturnType<typeof folderParts>>;

function sharedFolder(title: string, to: string, parts: readonly Parts[]): SharedFolder {
  const folders = [...new Set(['', ...parts.flatMap((part) => part.folders)])];
  const content = { folders, files: parts.flatMap(({ files }) => files), last: complete };
  return { title, to, content, hash: contentHash(parts.flatMap(({ hashes }) => hashes)) };
}

const isCache = (path: string): boolean => /(?:^|\/)(?:__pycache__|\.git)$/.test(path);

/** Programs of the product, and the user's model, weights and data. */
async function sharedFolders({
  resources,
  bundles,
  spec,
}: SharedVolumesOptions): Promise<readonly SharedFolder[]> {
  const inputs = new Map<string, Parts[]>();
  for (const { host, container } of inputPairs(spec)) {
    const name = basename(container);
    // The path itself may be a link; files inside it may not.
    const real = await realpath(host);
    const parts = (await stat(real)).isDirectory()
      ? await folderParts(real, name, isCache)
      : await fileParts(real, name);
    inputs.set(dirname(container), [...(inputs.get(dirname(container)) ?? []), parts]);
  }
  const isOther = (path: string) => isCache(path) || !programs.has(path.split('/')[0] ?? '');
  return [
    sharedFolder('the toolkit', '/workbench/resources', [await folderParts(resources, '', isOther)]),
    sharedFolder('the load generator', '/workbench/app', [await folderParts(bundles, '')]),
    ...[...inputs].map(([to, parts]) => sharedFolder(basename(to), to, parts)),
  ];
}

/**
 * Files that runs share, in volumes named by content hash: sent once per engine, read by all runs of the home. Throws
 * docker-unreachable, docker-failed, run-folder-unsafe for a link in the user's folder.
 */
export async function openSharedVolumes(
  options: SharedVolumesOptions,
  listener: FilesListener,
): Promise<readonly ContainerMount[]> {
  const { client, instance, transfer } = options;
  const there = new Set((await listVolumes(client, instance, listener.signal)).map(({ name }) => name));
  const mounts: ContainerMount[] = [];
  for (const { title, to, content, hash } of await sharedFolders(options)) {
    const name = `twb-${instance.slice(0, 6)}-files-${hashValue([hash, transfer.owner]).slice(0, 24)}`;
    if (!there.has(name) || !(await transfer.has(name, complete, listener))) {
      const request = { name, instance, run: null, holder: await machineHolder() };
      await createVolume(client, request, { signal: listener.signal, onTrouble: listener.say });
      await transfer.put(name, title, content, listener);
    }
    mounts.push(volumeMount(name, to, false));
  }
  return mounts;
}

/** How long a transfer waits for an engine that does not respond. */
const patienceMs = 60_000;
/** Mount path of the volume in the helper container. */
const [above, name] = ['/workbench', 'files'];
const inside = join(above, name);

export const volumeMount = (from: string, to: string, writable: boolean): ContainerMount => ({
  from,
  to,
  writable,
  isVolume: true,
});

/** "3.2 MiB in 4 files". */
function sizeText(sizes: readonly number[]): string {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const text =
    bytes < 2 ** 20 ? `${(bytes / 2 ** 10).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${text} in ${sizes.length} file${sizes.length === 1 ? '' : 's'}`;
}

interface VolumeTransferOptions {
  readonly client: DockerClient;
  readonly containers: Pick<RunContainers, 'files' | 'user'>;
  readonly image: () => string;
}

/** Copies files with the archive API, which needs a container that mounts the volume, but not a running one. */
export class VolumeTransfer {
  readonly owner: Owner;

  constructor(private readonly options: VolumeTransferOptions) {
    const [uid = 0, gid = 0] = options.containers.user.split(':').map(Number);
    this.owner = { uid, gid };
  }

  /** @param what the folder, for messages. Throws docker-unreachable, docker-failed, run-folder-unsafe. */
  async put(volume: string, what: string, content: TarContent, listener: FilesListener): Promise<void> {
    const { folders, files, last } = content;
    if (folders.length + files.length === 0 && last === undefined) return;
    const sizes = await Promise.all(files.map(async ({ from }) => (await lstat(from)).size));
    if (sizes.length > 0) listener.say(`Sending ${sizeText(sizes)} of ${what}`);
    await this.through(volume, listener, (container) =>
      // Unpacked into the parent: the API leaves the owner of its target as it is, which is root for a new volume.
      putArchive(
        this.options.client,
        { container, path: above },
        packFiles(name, content, this.owner),
        listener,
      ),
    );
  }

  /** @param below relative folder of the volume, '' for all; paths in `input` are relative to it */
  async take(
    volume: string,
    below: string,
    input: Parameters<typeof unpackFiles>[1] & { readonly what: string },
    listener: FilesListener,
  ): Promise<readonly Unpacked[]> {
    const taken = await this.through(volume, listener, (container) =>
      getArchive(this.options.client, { container, path: join(inside, below) }, listener.signal, (chunks) =>
        unpackFiles(chunks, input),
      ),
    );
    const news = taken.filter((file) => file.written).map((file) => file.bytes);
    if (news.length > 0) listener.say(`Received ${sizeText(news)} of ${input.what}`);
    return taken;
  }

  has(volume: string, path: string, listener: FilesListener): Promise<boolean> {
    return this.through(volume, listener, async (container) => {
      try {
        await ask(
          `look for files in ${volume}`,
          (abortSignal) =>
            this.options.client.docker
              .getContainer(container)
              .infoArchive({ path: join(inside, path), abortSignal }),
          listener,
        );
        return true;
      } catch (error) {
        if (statusOf((error as Error).cause) === 404) return false;
        throw error;
      }
    });
  }

  /** Retries while the engine does not respond. */
  private through<Value>(
    volume: string,
    { signal, say }: FilesListener,
    work: (container: string) => Promise<Value>,
  ): Promise<Value> {
    const { client, containers, image } = this.options;
    const plan = containers.files({ image: image(), mounts: [volumeMount(volume, inside, true)] });
    const how = { signal, onTrouble: say };
    return persist({ ...how, patienceMs }, async () => {
      const id = await createContainer(client, plan.name, plan.body, how);
      try {
        return await work(id);
      } finally {
        await removeContainer(client, id, { signal, patienceMs }).catch(() => undefined);
      }
    });
  }
}
