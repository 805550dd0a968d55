import type { Readable } from 'node:stream';
import { ask, type DockerClient } from './client';
import { LogDemultiplexer, readLogStream } from './follow-log';

const longestMs = 20_000;

/** What a command in a running container prints to stdout. Throws docker-unreachable, docker-failed. */
export async function printedInContainer(
  client: DockerClient,
  idOrName: string,
  argv: readonly string[],
): Promise<string> {
  const printed: Buffer[] = [];
  const demultiplexer = new LogDemultiplexer((channel, bytes) => {
    // It reuses the memory.
    if (channel === 'stdout') printed.push(Buffer.from(bytes));
  });
  await ask(
    'run a command in the container',
    async (abortSignal) => {
      const exec = await client.docker.getContainer(idOrName).exec({
        ...{ Cmd: [...argv], AttachStdout: true, AttachStderr: true, abortSignal },
      });
      const stream: Readable = await exec.start({ abortSignal });
      await readLogStream(stream, demultiplexer);
    },
    { timeoutMs: longestMs },
  );
  return Buffer.concat(printed).toString('utf8');
}
