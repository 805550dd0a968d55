import { WorkbenchError } from '../contract/errors';
import type { FileEntry } from '../contract/run/artefacts';
import type { RunOrigin } from '../contract/run/run-content';
import type { JournalBody, RunCreated, StepId } from '../contract/run/run-events';
import { hashValue } from '../platform/files';
import type { JournalContent } from './journal';
import type { RunKey } from './run-key';

export type SpecChanged = Extract<JournalBody, { type: 'spec-changed' }>;

/** What a journal says of a run's specification and of who trusted it. */
export type SealedContent = Pick<JournalContent, 'first' | 'changes' | 'entries'>;

const notSealed: ReadonlySet<string> = new Set(['seal', 'seq', 'at']);

/** A record as it was written: what a later version adds to it while reading is no part of the seal. */
const said = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !notSealed.has(name)));

const plain = (files: readonly FileEntry[]): readonly FileEntry[] =>
  files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));

/** SHA-256 (hex) over the record that created a run. */
const hashOfCreated = (record: object): string => hashValue(said(record));

/** The same with one more record that changed its specification. */
const hashWithChange = (before: string, change: object): string =>
  hashValue({ before, change: said(change) });

/** SHA-256 (hex) over the records that say what a run is: the one that created it, and each that changed its specification. */
export function hashOfSpecification(created: object, changes: SealedContent['changes']): string {
  return [...changes.values()].reduce<string>(hashWithChange, hashOfCreated(created));
}

const trustValue = (specification: string, files: readonly FileEntry[]) => ({
  type: 'run-trusted',
  created: specification,
  files: plain(files),
});

const changeValue = (before: string, change: object) => ({
  type: 'spec-changed',
  before,
  change: said(change),
});

export const sealedCreation = async (key: RunKey, body: RunCreated): Promise<RunCreated> => ({
  ...body,
  seal: await key.seal(said(body)),
});

/** Whether this home created the run, by the record that did, as it was written. */
export const isSealedCreation = (key: RunKey, record: object): Promise<boolean> =>
  key.holds(said(record), sealOf(record));

/** @param specification {@link hashOfSpecification} before the change. */
export const sealedChange = async (
  key: RunKey,
  specification: string,
  body: SpecChanged,
): Promise<SpecChanged> => ({
  ...body,
  seal: await key.seal(changeValue(specification, body)),
});

/** @param specification {@link hashOfSpecification} of what was looked at. */
export const sealedTrust = async (
  key: RunKey,
  specification: string,
  files: readonly FileEntry[],
): Promise<JournalBody> => ({
  type: 'run-trusted',
  files: [...files],
  seal: await key.seal(trustValue(specification, files)),
});

/** What the files of a step are said to be: by which run, and from which inputs. */
interface StepFiles {
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

interface Proven {
  readonly origin: RunOrigin;
  /** The files that somebody trusted last, as this home has sealed them; null: the run was never trusted here. */
  readonly trusted: readonly FileEntry[] | null;
}

/** From record to record: a specification that this home has not sealed is nobody's until somebody trusts the run. */
async function proven(key: RunKey, { first, changes, entries }: SealedContent): Promise<Proven> {
  if (first === null) return { origin: 'foreign', trusted: null };
  let specification = hashOfCreated(first);
  let origin: RunOrigin = (await isSealedCreation(key, first)) ? 'own' : 'foreign';
  let trusted: Proven['trusted'] = null;
  for (const entry of entries) {
    if (entry.type === 'spec-changed') {
      const change = changes.get(entry.seq);
      const isSealed =
        change !== undefined && (await key.holds(changeValue(specification, change), sealOf(change)));
      if (!isSealed) origin = 'foreign';
      if (change !== undefined) specification = hashWithChange(specification, change);
    } else if (entry.type === 'run-trusted') {
      if (!(await key.holds(trustValue(specification, entry.files), entry.seal))) continue;
      trusted = entry.files;
      if (origin === 'foreign') origin = 'trusted';
    }
  }
  return { origin, trusted };
}

/** The files that somebody trusted last, as this home has sealed them; null: the run was never trusted here. */
export const trustedFiles = async (key: RunKey, content: SealedContent): Promise<Proven['trusted']> =>
  (await proven(key, content)).trusted;

/** Nothing is proven where the line of the run's first record is damaged. */
export const originOf = async (key: RunKey, content: SealedContent): Promise<RunOrigin> =>
  (await proven(key, content)).origin;

/** Throws journal-corrupt. */
export function requireCreated(created: object | null, path: string): object {
  if (created !== null) return created;
  throw new WorkbenchError('journal-corrupt', 'The record that created the run is damaged', { where: path });
}
