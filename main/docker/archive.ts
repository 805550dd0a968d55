import { Readable } from 'node:stream';
import { type DockerClient, withinLimit } from './client';

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
const finish = (stream: NodeJS.ReadableStream, error?: Error): void => {
  (stream as NodeJS.ReadableStream & { destroy(error?: Error): void }).destroy(error);
};

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
