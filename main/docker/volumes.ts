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

/** A transfer without progress for this long is broken; its total time is unlimited. */
const standstill = { ms: 30_000, reached: 'Nothing was transferred for' } as const;

/** Restarts the standstill timeout for each chunk. */
async function* noting(chunks: AsyncIterable<Buffer>, putOff: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    putOff();
    yield chunk;
  }
}

/** Unpacks a tar into a container's folder, replacing existing entries. */
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

/** Missing in dockerode's types. */
const finish = (stream: NodeJS.ReadableStream, error?: Error): void =>
  (stream as NodeJS.ReadableStream & { destroy(error?: Error): void }).destroy(error);

/** Streams a tar whose entries begin with the path's last part. Ends when both `take` and the tar are done. */
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

/** Hashed, so that labels do not expose the machine id. */
const idOf = (machineId: string): string =>
  createHash('sha256').update(`triton-workbench ${machineId}`).digest('hex').slice(0, 12);

/** Host name with an id that survives renames; only the name without a machine id. */
export async function machineHolder(file = machineIdFile): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const id = /^[0-9a-f]{32}$/.exec(text.trim())?.[0];
  return id === undefined ? hostname() : `${hostname()} (${idOf(id)})`;
}

/** Whether this machine created it, under its current or an earlier name. */
export function isSameHolder(holder: string, own: string): boolean {
  const idIn = (text: string) => / \(([0-9a-f]{12})\)$/.exec(text)?.[1];
  const [theirs, ours] = [idIn(holder), idIn(own)];
  if (theirs !== undefined && ours !== undefined) return theirs === ours;
  // Earlier versions stored only the name.
  return holder.replace(/ \([0-9a-f]{12}\)$/, '') === own.replace(/ \([0-9a-f]{12}\)$/, '');
}

const patienceMs = 60_000;

/** A volume with files of one run, or shared by a home's runs. */
export interface OwnVolume {
  readonly name: string;
  /** null: shared. */
  readonly run: NetworkLabels | null;
  readonly holder: string;
}

export interface VolumeRequest extends OwnVolume {
  readonly instance: string;
}

/** Finds or creates. Throws docker-failed, docker-unreachable. */
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

/** Volumes of a home. Throws docker-unreachable. */
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

/** Removes volumes that `isLeft` selects, unless in use. Returns their names. Throws docker-unreachable. */
export async function removeVolumes(
  client: DockerClient,
  instance: string,
  isLeft: (volume: OwnVolume) => boolean | Promise<boolean>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const volume of await listVolumes(client, instance)) {
    if (!(await isLeft(volume))) continue;
    // 409: in use. The next sweep retries.
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
