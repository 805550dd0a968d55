import { WorkbenchError } from '../contract/errors';
import type { FileEntry } from '../contract/run/artefacts';
import type { RunOrigin } from '../contract/run/run-content';
import type { JournalBody, RunCreated, StepId } from '../contract/run/run-events';
import { hashValue } from '../platform/files';
import type { JournalContent } from './journal';
import type { RunKey } from './run-key';

export type SpecChanged = Extract<JournalBody, { type: 'spec-changed' }>;

/** Journal parts about specification and trust. */
export type SealedContent = Pick<JournalContent, 'first' | 'changes' | 'entries'>;

const notSealed: ReadonlySet<string> = new Set(['seal', 'seq', 'at']);

/** As written, without defaults added by parsing. */
const said = (record: object): object =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !notSealed.has(name)));

const plain = (files: readonly FileEntry[]): readonly FileEntry[] =>
  files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));

/** SHA-256 (hex) of the creating record. */
const hashOfCreated = (record: object): string => hashValue(said(record));

/** Chained hash with a specification change. */
const hashWithChange = (before: string, change: object): string =>
  hashValue({ before, change: said(change) });

/** SHA-256 (hex) of the creating record and all specification changes. */
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

/** Whether this home created the run. */
export const isSealedCreation = (key: RunKey, record: object): Promise<boolean> =>
  key.holds(said(record), sealOf(record));

/** @param specification {@link hashOfSpecification} before the change */
export const sealedChange = async (
  key: RunKey,
  specification: string,
  body: SpecChanged,
): Promise<SpecChanged> => ({
  ...body,
  seal: await key.seal(changeValue(specification, body)),
});

/** @param specification {@link hashOfSpecification} of what was reviewed */
export const sealedTrust = async (
  key: RunKey,
  specification: string,
  files: readonly FileEntry[],
): Promise<JournalBody> => ({
  type: 'run-trusted',
  files: [...files],
  seal: await key.seal(trustValue(specification, files)),
});

/** A step's files with run and inputs. */
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
  /** Files last trusted in this home, or null. */
  readonly trusted: readonly FileEntry[] | null;
}

/** Walks the records: an unsealed specification stays untrusted until the user trusts the run. */
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

/** Files last trusted in this home, or null. */
export const trustedFiles = async (key: RunKey, content: SealedContent): Promise<Proven['trusted']> =>
  (await proven(key, content)).trusted;

/** Unknown if the first record is damaged. */
export const originOf = async (key: RunKey, content: SealedContent): Promise<RunOrigin> =>
  (await proven(key, content)).origin;

/** Throws journal-corrupt. */
export function requireCreated(created: object | null, path: string): object {
  if (created !== null) return created;
  throw new WorkbenchError('journal-corrupt', 'The record that created the run is damaged', { where: path });
}
