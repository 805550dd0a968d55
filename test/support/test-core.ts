import { createCore } from '../../main/core';
import type { Core } from '../../main/core/core-interface';
import type { CoreOptions } from '../../main/core/core-parts';
import { readerBundle } from './reader-bundle';

/** A core in this home without a Docker Engine, that prints nothing and measures nothing. */
export const createTestCore = async (home: string, more: Pick<CoreOptions, 'follow'> = {}): Promise<Core> =>
  createCore({
    home,
    resources: 'resources',
    version: 'test',
    env: { PATH: process.env['PATH'], DOCKER_HOST: `unix://${home}/none.sock` },
    workerFile: '/nowhere/load-worker.cjs',
    readerFile: await readerBundle(),
    printPdf: () => Promise.reject(new Error('nothing is printed here')),
    electron: null,
    ...more,
  });
