import { z } from 'zod';
import type { FileEntry } from './artefacts';
import '../issue-text';

/** What people call a run. "latest" and "published" mean something else where a run is named. */
export const runNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}]*$/u, 'has a control character')
  .regex(/^(?!(?:latest|published)(?:$|[~:]))/, '"latest" and "published" are reserved');

/** Why a text that is typed cannot be the name of a run; null for none at all, and for a name. */
export const reasonAgainst = (typed: string): string | null =>
  typed.trim() === '' ? null : (runNameSchema.safeParse(typed).error?.issues[0]?.message ?? null);

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
  /** Where its programs would run, if not on this machine: a host of the home, "Slurm", or names of a Kubernetes cluster. */
  readonly machines: readonly string[];
  /** Those of `files` that are programs or may hold one. */
  readonly code: readonly string[];
  /** Every file that the run would use again, relative to its folder. */
  readonly files: readonly FileEntry[];
}

/**
 * `own`: created in this workbench home. `foreign`: created elsewhere, or by a version that sealed no runs; it can be
 * read, compared and reported, and runs nothing. `trusted`: foreign, and somebody trusted its content here.
 */
export const runOrigins = ['own', 'foreign', 'trusted'] as const;
export type RunOrigin = (typeof runOrigins)[number];

/** A mark for lists; null for a run of this home. */
export const originMark: Readonly<Record<RunOrigin, string | null>> = {
  own: null,
  foreign: 'from elsewhere',
  trusted: 'from elsewhere, trusted',
};

/** A sentence for the page of a run; null where nothing has to be said. */
export const originText: Readonly<Record<RunOrigin, string | null>> = {
  own: null,
  foreign:
    'This run was not created in this workbench home. You can read, compare and export it. To continue it, trust its files first: they are executed.',
  trusted: 'This run was not created in this workbench home. Its files were trusted here.',
};
