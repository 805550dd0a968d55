import { join } from 'node:path';
import { readableFolder } from '../main/platform/layout';

export interface AppPaths {
  readonly renderer: string;
  readonly preload: string;
  readonly loadWorker: string;
  readonly readerProcess: string;
  readonly resources: string;
}

export function appPaths(appFolder: string): AppPaths {
  const readable = readableFolder(appFolder);
  return {
    renderer: join(appFolder, 'out', 'renderer'),
    preload: join(appFolder, 'out', 'preload', 'preload.cjs'),
    loadWorker: join(readable, 'out', 'main', 'load-worker.cjs'),
    readerProcess: join(readable, 'out', 'main', 'reader-process.cjs'),
    resources: join(readable, 'resources'),
  };
}
