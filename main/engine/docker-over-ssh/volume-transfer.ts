import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { getArchive, putArchive } from '../../docker/archive';
import { ask, type DockerClient } from '../../docker/client';
import type { ContainerMount } from '../../docker/container-body';
import { createContainer, removeContainer } from '../../docker/container-life';
import { statusOf } from '../../docker/docker-error';
import { persist } from '../../docker/persist';
import type { RunContainers } from '../docker/run-containers';
import type { FilesListener } from '../docker/run-files';
import { type Owner, packFiles, type TarContent, type Unpacked, unpackFiles } from './folder-tar';

/** An engine that does not answer is waited for so long in the middle of a transfer. */
const patienceMs = 60_000;
/** Where a volume is in the container through which files go to it and come from it. */
const [above, name] = ['/workbench', 'files'];
const inside = join(above, name);

export const volumeMount = (from: string, to: string, writable: boolean): ContainerMount => ({
  ...{ from, to, writable },
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
  /** Id of an image that the engine has. */
  readonly image: () => string;
}

/** Files to volumes and back, by the engine's archive calls: they need a container that has the volume, and none that runs. */
export class VolumeTransfer {
  /** Of files there: the containers' user. */
  readonly owner: Owner;

  constructor(private readonly options: VolumeTransferOptions) {
    const [uid = 0, gid = 0] = options.containers.user.split(':').map(Number);
    this.owner = { uid, gid };
  }

  /** @param what the folder, for people. Throws docker-unreachable, docker-failed, run-folder-unsafe. */
  async put(volume: string, what: string, content: TarContent, listener: FilesListener): Promise<void> {
    const { folders, files, last } = content;
    if (folders.length + files.length === 0 && last === undefined) return;
    const sizes = await Promise.all(files.map(async ({ from }) => (await lstat(from)).size));
    if (sizes.length > 0) listener.say(`Sending ${sizeText(sizes)} of ${what}`);
    await this.through(volume, listener, (container) =>
      // From above: the engine leaves the root of what it unpacks as it is, and that is root's in a new volume.
      putArchive(
        this.options.client,
        { container, path: above },
        packFiles(name, content, this.owner),
        listener,
      ),
    );
  }

  /** @param below relative folder of the volume, '' for all of it; the paths in `input` are below it. */
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

  /** Whether the volume has the file. */
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

  /** Anew where the engine gave no answer. */
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
