import { z } from 'zod';
import { controls } from '../one-line';
import type { FileEntry } from './artefacts';
import '../issue-text';

/** "latest" and "published" have other meanings where a run is named. */
export const runNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(new RegExp(`^[^${controls}]*$`, 'u'), 'has a control character')
  .regex(/^(?!(?:latest|published)(?:$|[~:]))/, '"latest" and "published" are reserved');

/** Why a typed text is not a valid run name; null: empty or valid. */
export const reasonAgainst = (typed: string): string | null =>
  typed.trim() === '' ? null : (runNameSchema.safeParse(typed).error?.issues[0]?.message ?? null);

/** What a foreign run would execute, mount and reach if continued; shown before it is trusted. */
export interface RunContent {
  readonly runId: string;
  readonly dir: string;
  /** SHA-256 (hex) over the specification and all of `files`. */
  readonly hash: string;
  /** SHA-256 (hex) of the records with its specification: creation and changes. */
  readonly created: string;
  readonly images: readonly string[];
  /** Local files and folders that its specification names, mounted into containers. */
  readonly paths: readonly string[];
  /** Address of a measured server; null: its own server. */
  readonly server: string | null;
  /** Where its programs would run, if not here: a host's name, "Slurm", or names of a Kubernetes cluster. */
  readonly machines: readonly string[];
  /** Those of `files` that may contain programs. */
  readonly code: readonly string[];
  /** Files that the run would reuse, relative to its folder. */
  readonly files: readonly FileEntry[];
}

/**
 * `own`: created in this home. `foreign`: created elsewhere, or by a version without seals; readable, executes nothing.
 * `trusted`: foreign, and trusted here.
 */
export const runOrigins = ['own', 'foreign', 'trusted'] as const;
export type RunOrigin = (typeof runOrigins)[number];

/** For lists; null for a run of this home. */
export const originMark: Readonly<Record<RunOrigin, string | null>> = {
  own: null,
  foreign: 'from elsewhere',
  trusted: 'from elsewhere, trusted',
};

export const originText: Readonly<Record<RunOrigin, string | null>> = {
  own: null,
  foreign:
    'This run was not created in this workbench home. You can read, compare and export it. To continue it, trust its files first: they are executed.',
  trusted: 'This run was not created in this workbench home. Its files were trusted here.',
};
