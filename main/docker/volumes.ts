import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import { toWire, WorkbenchError } from '../contract/errors';
import { ask, type DockerClient, statusOf, withinLimit } from './client';
import { persist, type PersistOptions } from './container-life';
import {
  formatNetworkLabels,
  holderLabel,
  instanceFilter,
  instanceLabels,
  type NetworkLabels,
  parseNetworkLabels,
} from './containers';

/** A line over which nothing goes for so long is taken for cut; work that moves has any length. */
const standstill = { ms: 30_000, reached: 'Nothing was transferred for' } as const;

/** The chunks as they come, each of which puts the standstill off. */
async function* noting(chunks: AsyncIterable<Buffer>, putOff: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    putOff();
    yield chunk;
  }
}

/**
 * Unpacks a tar into a folder of a container, running or not; an entry that is there is replaced.
 */
export async function putArchive(
  client: DockerClient,
  target: { readonly container: string; readonly path: string },
  tar: AsyncIterable<Buffer>,
  { signal: given }: { readonly signal: AbortSignal },
): Promise<void> {
  const { container, path } = target;
  await withinLimit(`write files to ${path}`, standstill, given, async ({ signal, putOff }) => {
    const stream = Readable.from(noting(tar, putOff), { objectMode: false });
    try {
      await client.docker
        .getContainer(container)
        .putArchive(stream, { path, abortSignal: signal, noOverwriteDirNonDir: 'true' });
    } finally {
      stream.destroy();
    }
  });
}

/** The types of the library know no `destroy`. */
const finish = (stream: NodeJS.ReadableStream, error?: Error): void =>
  (stream as NodeJS.ReadableStream & { destroy(error?: Error): void }).destroy(error);

/**
 * The tar of a file or folder of a container, running or not, as its chunks come; its entries begin with the last part of
 * the path. `take` is done when the tar is.
 */
export async function getArchive<Value>(
  client: DockerClient,
  target: { readonly container: string; readonly path: string },
  signal: AbortSignal,
  take: (chunks: AsyncIterable<Buffer>) => Promise<Value>,
): Promise<Value> {
  const { container, path } = target;
  return withinLimit(`read files from ${path}`, standstill, signal, async (limited) => {
    const stream = await client.docker
      .getContainer(container)
      .getArchive({ path, abortSignal: limited.signal });
    const stop = () => {
      finish(stream, new Error('aborted'));
    };
    limited.signal.addEventListener('abort', stop, { once: true });
    try {
      return await take(noting(stream as AsyncIterable<Buffer>, limited.putOff));
    } finally {
      limited.signal.removeEventListener('abort', stop);
      finish(stream);
    }
  });
}

const machineIdFile = '/etc/machine-id';

/** Of a machine id that is never shown: whoever reads the labels of an engine learns nothing of it. */
const idOf = (machineId: string): string =>
  createHash('sha256').update(`triton-workbench ${machineId}`).digest('hex').slice(0, 12);

/**
 * Who makes volumes: the name of this machine, with an id that stays when the name changes; the name only where the
 * machine has no id.
 */
export async function machineHolder(file = machineIdFile): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const id = /^[0-9a-f]{32}$/.exec(text.trim())?.[0];
  return id === undefined ? hostname() : `${hostname()} (${idOf(id)})`;
}

/** Whether this machine made it, under the name that it has now or had then. Pure. */
export function isSameHolder(holder: string, own: string): boolean {
  const idIn = (text: string) => / \(([0-9a-f]{12})\)$/.exec(text)?.[1];
  const [theirs, ours] = [idIn(holder), idIn(own)];
  if (theirs !== undefined && ours !== undefined) return theirs === ours;
  // An earlier version wrote the name only.
  return holder.replace(/ \([0-9a-f]{12}\)$/, '') === own.replace(/ \([0-9a-f]{12}\)$/, '');
}

const patienceMs = 60_000;

/** A volume that holds files of a run, or of every run of a home. */
export interface OwnVolume {
  readonly name: string;
  /** null: it is no run's, and stays for the next. */
  readonly run: NetworkLabels | null;
  /** Machine whose workbench made it. */
  readonly holder: string;
}

export interface VolumeRequest extends OwnVolume {
  readonly instance: string;
}

/** Makes the volume; one of this name that is there already is that one. Throws docker-failed, docker-unreachable. */
export async function createVolume(
  client: DockerClient,
  { name, instance, run, holder }: VolumeRequest,
  options: Pick<PersistOptions, 'signal' | 'onTrouble'>,
): Promise<void> {
  const Labels = {
    ...(run === null ? instanceLabels(instance) : formatNetworkLabels(run)),
    [holderLabel]: holder,
  };
  await persist({ ...options, patienceMs }, () =>
    ask(
      `create the volume ${name}`,
      (abortSignal) => client.docker.createVolume({ Name: name, Labels, abortSignal } as object),
      { signal: options.signal },
    ),
  );
}

/** The volumes of one workbench home. Throws docker-unreachable. */
export async function listVolumes(
  client: DockerClient,
  instance: string,
  signal?: AbortSignal,
): Promise<readonly OwnVolume[]> {
  const filters = { ...instanceFilter(instance) };
  const answer = await ask(
    'list the volumes',
    (abortSignal) => client.docker.listVolumes({ filters, abortSignal }),
    { signal },
  );
  if (!Array.isArray(answer.Volumes) && (answer.Volumes as unknown) !== null) {
    throw new WorkbenchError('docker-unreachable', 'The Docker daemon returned a damaged list of volumes');
  }
  return ((answer.Volumes as typeof answer.Volumes | null) ?? []).map(({ Name, Labels }) => ({
    name: Name,
    run: parseNetworkLabels(Labels, instance),
    holder: (Labels as Record<string, string> | null)?.[holderLabel] ?? '',
  }));
}

/**
 * Of the volumes of a home those that `isLeft` names go, unless a container has them. Gives their names. Throws
 * docker-unreachable: nobody knows then which have gone.
 */
export async function removeVolumes(
  client: DockerClient,
  instance: string,
  isLeft: (volume: OwnVolume) => boolean | Promise<boolean>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const volume of await listVolumes(client, instance)) {
    if (!(await isLeft(volume))) continue;
    // 409: a container has it. The next look finds what could not be removed.
    const gone = await ask(`remove the volume ${volume.name}`, (abortSignal) =>
      client.docker.getVolume(volume.name).remove({ abortSignal } as object),
    ).then(
      () => true,
      (error: unknown) => {
        if (toWire(error).code === 'docker-unreachable') throw error;
        return statusOf((error as Error).cause) === 404;
      },
    );
    if (gone) removed.push(volume.name);
  }
  return removed;
}
