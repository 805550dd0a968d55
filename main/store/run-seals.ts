import { WorkbenchError } from '../contract/errors';
import type { FileEntry } from '../contract/file-manifest';
import type { JournalBody, JournalEntry, StepId } from '../contract/run-events';
import type { RunOrigin } from '../contract/run-origin';
import { hashValue } from '../platform/files';
import type { RunKey } from './run-key';

type Created = Extract<JournalBody, { type: 'run-created' }>;

const notSealed: ReadonlySet<string> = new Set(['seal', 'seq', 'at']);

/** A record as it was written: what a later version adds to it while reading is no part of the seal. */
const said = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !notSealed.has(name)));

const plain = (files: readonly FileEntry[]): readonly FileEntry[] =>
  files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));

/** SHA-256 (hex) over the record that created a run. */
export const hashOfCreated = (record: object): string => hashValue(said(record));

const trustValue = (record: object, files: readonly FileEntry[]) => ({
  type: 'run-trusted',
  created: hashOfCreated(record),
  files: plain(files),
});

export const sealedCreation = async (key: RunKey, body: Created): Promise<Created> => ({
  ...body,
  seal: await key.seal(said(body)),
});

export const sealedTrust = async (
  key: RunKey,
  record: object,
  files: readonly FileEntry[],
): Promise<JournalBody> => ({
  type: 'run-trusted',
  files: [...files],
  seal: await key.seal(trustValue(record, files)),
});

/** What the files of a step are said to be: by which run, and from which inputs. */
export interface StepFiles {
  readonly runId: string;
  readonly step: StepId;
  readonly key: string;
  readonly files: readonly FileEntry[];
}

const stepValue = ({ runId, step, key, files }: StepFiles) => ({
  type: 'step-finished',
  runId,
  step,
  key,
  files: plain(files),
});

export const stepSeal = (key: RunKey, step: StepFiles): Promise<string> => key.seal(stepValue(step));

export const isStepSealed = (key: RunKey, step: StepFiles, seal: string | undefined): Promise<boolean> =>
  key.holds(stepValue(step), seal);

const sealOf = (record: object): string | undefined =>
  'seal' in record && typeof record.seal === 'string' ? record.seal : undefined;

/** The files that somebody trusted last, as this home has sealed them; null: the run was never trusted here. */
export async function trustedFiles(
  key: RunKey,
  created: object | null,
  entries: readonly JournalEntry[],
): Promise<readonly FileEntry[] | null> {
  if (created === null) return null;
  for (const entry of [...entries].reverse()) {
    if (entry.type !== 'run-trusted') continue;
    if (await key.holds(trustValue(created, entry.files), entry.seal)) return entry.files;
  }
  return null;
}

/** @param created the run's first record as it was written; null where its line is damaged, so that nothing is proven. */
export async function originOf(
  key: RunKey,
  created: object | null,
  entries: readonly JournalEntry[],
): Promise<RunOrigin> {
  if (created !== null && (await key.holds(said(created), sealOf(created)))) return 'own';
  return (await trustedFiles(key, created, entries)) === null ? 'foreign' : 'trusted';
}

/** Throws journal-corrupt. */
export function requireCreated(created: object | null, path: string): object {
  if (created !== null) return created;
  throw new WorkbenchError('journal-corrupt', 'The record that created the run is damaged', { where: path });
}
