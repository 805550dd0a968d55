import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DockerClient } from '../../docker/client';
import { printedInContainer } from '../../docker/container-exec';
import { isTraceFile, type ServerTraces, traceFileName } from '../server-traces';

const dir = '/tmp';
/** In the container; it ends with it. */
export const containerTraceFile = `${dir}/${traceFileName}`;

interface TracedContainer {
  readonly client: DockerClient;
  readonly id: string;
}

/** @param container found anew each time: a deployment's may be another one by now */
export function containerTraces(container: () => Promise<TracedContainer>): ServerTraces {
  const print = async (...argv: readonly string[]): Promise<string> => {
    const { client, id } = await container();
    return printedInContainer(client, id, argv);
  };
  return {
    list: async () =>
      (await print('ls', '-1', dir))
        .split('\n')
        .map((line) => basename(line.trim()))
        .filter(isTraceFile)
        .sort(),
    take: async (name, to) => {
      await writeFile(to, await print('cat', `${dir}/${name}`));
      await print('rm', '-f', `${dir}/${name}`);
    },
  };
}
