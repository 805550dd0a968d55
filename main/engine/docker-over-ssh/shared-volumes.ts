import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RunSpec } from '../../contract/run/run-spec';
import type { DockerClient } from '../../docker/client';
import type { ContainerMount } from '../../docker/container-body';
import { createVolume, listVolumes, machineHolder } from '../../docker/volumes';
import { hashFile, hashValue } from '../../platform/files';
import { inputPairs } from '../docker/container-paths';
import type { FilesListener } from '../docker/run-files';
import type { TarContent } from './folder-tar';
import { contentHash, readFolder } from './folder-volume';
import { volumeMount, type VolumeTransfer } from './volume-transfer';

/** At the end of what is sent: where it is, the rest is. */
const complete = '.complete';
/** What the containers run of the product; the rest of its resources is for this machine. */
const programs: ReadonlySet<string> = new Set(['models', 'own', 'serving', 'toolkit']);

interface SharedVolumesOptions {
  readonly client: DockerClient;
  readonly instance: string;
  readonly spec: RunSpec;
  readonly resources: string;
  readonly bundles: string;
  readonly transfer: VolumeTransfer;
}

interface SharedFolder {
  /** For people. */
  readonly title: string;
  /** Where the containers see it. */
  readonly to: string;
  readonly content: TarContent;
  readonly hash: string;
}

/** A folder as `name` in the volume, '' at its root. */
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

/** The product's own programs, and the user's model, weights and data. */
async function sharedFolders({
  resources,
  bundles,
  spec,
}: SharedVolumesOptions): Promise<readonly SharedFolder[]> {
  const inputs = new Map<string, Parts[]>();
  for (const { host, container } of inputPairs(spec)) {
    const name = basename(container);
    // The path itself may be a link; what is in the folder may not.
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
 * What runs have in common, in volumes that are named by their content: sent once to each engine, read by all runs of the
 * home. Throws docker-unreachable, docker-failed, run-folder-unsafe for a link in a folder of the user's.
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
