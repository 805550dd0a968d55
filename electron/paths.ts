import { join } from 'node:path';

/** Where the parts of the built app stand, from the folder of its package.json. */
export interface AppPaths {
  readonly renderer: string;
  readonly preload: string;
  readonly loadWorker: string;
  readonly readerProcess: string;
  readonly resources: string;
}

export function appPaths(appFolder: string): AppPaths {
  return {
    renderer: join(appFolder, 'out', 'renderer'),
    preload: join(appFolder, 'out', 'preload', 'preload.cjs'),
    loadWorker: join(appFolder, 'out', 'main', 'load-worker.cjs'),
    readerProcess: join(appFolder, 'out', 'main', 'reader-process.cjs'),
    resources: join(appFolder, 'resources'),
  };
}
