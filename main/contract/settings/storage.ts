import { formatBytes } from '../numbers';

/** What takes space in the workbench home, largest first; `docker` for the images outside of it. */
export interface StorageReport {
  readonly home: string;
  readonly parts: readonly StoragePart[];
  /** Images that the workbench built or pulled; null where Docker is not reached. */
  readonly images: { readonly count: number; readonly bytes: number } | null;
  /** Left in the file system of the home. */
  readonly freeBytes: number;
}

export const storageParts = [
  'runs',
  'deployments',
  'cache',
  'trash',
  'data',
  'recordings',
  'tools',
  'logs',
  'other',
] as const;

export interface StoragePart {
  readonly id: (typeof storageParts)[number];
  readonly bytes: number;
}

/** Names of the parts, with what each is. */
export const storageText: Readonly<
  Record<StoragePart['id'], { readonly title: string; readonly what: string }>
> = {
  runs: { title: 'Runs', what: 'specifications, journals, models and reports' },
  deployments: { title: 'Deployments', what: 'models that are kept serving' },
  cache: { title: 'Cache', what: 'exported and converted models, reused by later runs' },
  trash: { title: 'Trash', what: 'deleted runs, until it is emptied' },
  data: { title: 'Data sets and checkpoints', what: 'downloads of presets' },
  recordings: { title: 'Recordings', what: 'of the monitor' },
  tools: { title: 'Tools', what: 'Python, Triton, perf_analyzer and Electron' },
  logs: { title: 'Logs', what: 'of the application and of the setup' },
  other: { title: 'Other', what: 'settings, drafts and the state of the window' },
};

/** What emptying the cache frees, and what it does not: runs keep the files that they share with it. */
export const cacheSize = ({
  bytes,
  sharedBytes,
}: {
  readonly bytes: number;
  readonly sharedBytes: number;
}): string =>
  sharedBytes === 0
    ? formatBytes(bytes)
    : `${formatBytes(bytes)}; another ${formatBytes(sharedBytes)} is shared with runs and is not freed`;

/** What a clean-up can remove, with the bytes that each frees by itself. */
export interface CleanOffer {
  readonly cache: { readonly bytes: number; readonly sharedBytes: number };
  readonly trash: { readonly runs: number; readonly bytes: number };
  /** Those that nobody works on and no deployment was made of, largest first. */
  readonly runs: readonly {
    readonly runId: string;
    readonly name: string | null;
    readonly createdAt: string;
    readonly bytes: number;
  }[];
}

/** A run that the retention would move to the trash. */
export interface RetiredRun {
  readonly runId: string;
  readonly preset: string;
  readonly createdAt: string;
  readonly bytes: number;
}

/** Where the home would move, and what that takes. */
export interface HomeMovePlan {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly files: number;
  readonly freeBytes: number;
  /** Names of tools that stay behind: they hold absolute paths and have to be set up again. */
  readonly setUpAgain: readonly string[];
}

export interface HomeMoveWork {
  readonly status: 'copying' | 'verifying' | 'done' | 'failed' | 'cancelled';
  readonly to: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
  /** What went wrong, in a sentence; null otherwise. */
  readonly problem: string | null;
}
