import { formatBytes } from '../numbers';

/** Space used by the workbench home, largest first; `docker`: images outside it. */
export interface StorageReport {
  readonly home: string;
  readonly parts: readonly StoragePart[];
  /** Built or pulled by the workbench; null where Docker is not reachable. */
  readonly images: { readonly count: number; readonly bytes: number } | null;
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

/** Freed by emptying the cache, and not: files shared with runs. */
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

/** Removable parts, with the bytes that each frees. */
export interface CleanOffer {
  readonly cache: { readonly bytes: number; readonly sharedBytes: number };
  readonly trash: { readonly runs: number; readonly bytes: number };
  /** Runs without work or deployments, largest first. */
  readonly runs: readonly {
    readonly runId: string;
    readonly name: string | null;
    readonly createdAt: string;
    readonly bytes: number;
  }[];
}

export interface RetiredRun {
  readonly runId: string;
  readonly preset: string;
  readonly createdAt: string;
  readonly bytes: number;
}

export interface HomeMovePlan {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly files: number;
  readonly freeBytes: number;
  /** Tools with absolute paths that must be set up again. */
  readonly setUpAgain: readonly string[];
}

export interface HomeMoveWork {
  readonly status: 'copying' | 'verifying' | 'done' | 'failed' | 'cancelled';
  readonly to: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly problem: string | null;
}
