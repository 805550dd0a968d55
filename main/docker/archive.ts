import { Readable } from 'node:stream';
import { WorkbenchError } from '../contract/errors';
import { linkedAbort, whenAborted } from '../platform/abort';
import type { DockerClient } from './client';
import { dockerError } from './docker-error';

/** A line over which nothing goes for so long is taken for cut. */
const standstillMs = 30_000;

interface Watched {
  readonly signal: AbortSignal;
  /** Something came or went. */
  readonly moved: () => void;
}

/**
 * Work of any length that gives up where it stands still. Throws cancelled, docker-unreachable, or what the engine
 * answered.
 */
async function whileMoving<Value>(
  what: string,
  signal: AbortSignal,
  work: (watched: Watched) => Promise<Value>,
): Promise<Value> {
  const { controller, dispose } = linkedAbort(signal);
  const still = { reached: false };
  const timer = setTimeout(() => {
    still.reached = true;
    controller.abort();
  }, standstillMs);
  const moved = () => {
    timer.refresh();
  };
  // Not every request of the library listens to the signal.
  const { aborted, done } = whenAborted(controller.signal);
  try {
    return await Promise.race([work({ signal: controller.signal, moved }), aborted]);
  } catch (error) {
    if (signal.aborted) throw new WorkbenchError('cancelled', `Cancelled: ${what}`);
    if (still.reached) {
      const message = `Nothing was transferred for ${standstillMs / 1000} s: ${what}`;
      throw new WorkbenchError('docker-unreachable', message, { cause: error });
    }
    throw dockerError(error, what);
  } finally {
    clearTimeout(timer);
    done();
    dispose();
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
  await whileMoving(`write files to ${path}`, given, async ({ signal, moved }) => {
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const chunk of tar) {
        moved();
        yield chunk;
      }
    }
    const stream = Readable.from(counted(), { objectMode: false });
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
  return whileMoving(`read files from ${path}`, signal, async (watched) => {
    const stream = await client.docker
      .getContainer(container)
      .getArchive({ path, abortSignal: watched.signal });
    const stop = () => {
      finish(stream, new Error('aborted'));
    };
    watched.signal.addEventListener('abort', stop, { once: true });
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        watched.moved();
        yield chunk;
      }
    }
    try {
      return await take(counted());
    } finally {
      watched.signal.removeEventListener('abort', stop);
      finish(stream);
    }
  });
}
