import type { FileEntry } from './file-manifest';

/** What a run from elsewhere would execute, mount and reach if it were continued: to be shown before it is trusted. */
export interface RunContent {
  readonly runId: string;
  readonly dir: string;
  /** SHA-256 (hex) over the specification and all of `files`. */
  readonly hash: string;
  /** SHA-256 (hex) of the records with its specification: the one that created it, and each that changed it. */
  readonly created: string;
  /** Container images that its specification names. */
  readonly images: readonly string[];
  /** Files and folders of this machine that its specification names: read, and mounted into containers. */
  readonly paths: readonly string[];
  /** Address of the server that it measures; null: a server of its own. */
  readonly server: string | null;
  /** Those of `files` that are programs or may hold one. */
  readonly code: readonly string[];
  /** Every file that the run would use again, relative to its folder. */
  readonly files: readonly FileEntry[];
}
