import { z } from 'zod';
import { invalidInput } from '../errors';
import { formatBytes } from '../numbers';

/** "hf:acme/my-bert@v2": a model of the Hugging Face hub. */
export interface HubReference {
  readonly id: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

const prefix = 'hf:';
const usualRevision = 'main';
/** As the hub allows names; old models have no organization. */
const part = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?';
const idPattern = new RegExp(`^(?:${part}/)?${part}$`);
const revisionPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
export const commitPattern = /^[0-9a-f]{40}$/;

export const isHubReference = (text: string): boolean => text.startsWith(prefix);

/** Throws input-invalid. */
export function parseHubReference(text: string): HubReference {
  const name = text.slice(prefix.length);
  const at = name.indexOf('@');
  const id = at < 0 ? name : name.slice(0, at);
  const revision = at < 0 ? usualRevision : name.slice(at + 1);
  const isWrong = /--|\.\./.test(id) || revision.includes('..');
  if (isHubReference(text) && idPattern.test(id) && revisionPattern.test(revision) && !isWrong) {
    return { id, revision };
  }
  throw invalidInput(
    text,
    `"${text}" is not a model of the Hugging Face hub`,
    'Write hf:ORG/NAME, or with a branch, tag or commit hf:ORG/NAME@REVISION.',
  );
}

export const hubText = ({ id, revision }: HubReference): string => `${prefix}${id}@${revision}`;

export const hubAskSchema = z.strictObject({ reference: z.string().min(1).max(400) });
/** `revision`: the commit whose size was shown. */
export const hubFetchSchema = hubAskSchema.extend({ revision: z.string().regex(commitPattern) });

/** A model of the hub at a commit, and what of it is on this machine. */
export interface HubModel {
  readonly id: string;
  /** The commit. */
  readonly revision: string;
  /** "hf:acme/my-bert@COMMIT". */
  readonly reference: string;
  /** Files that a run takes. */
  readonly files: number;
  readonly bytes: number;
  /** Still to be downloaded. */
  readonly missingBytes: number;
  /** As the model card states it; null: it does not, or it was not asked. */
  readonly license: string | null;
  /** Folder in the cache; null until every file is there and compared with its hash. */
  readonly path: string | null;
  /** Why the hub's answer is not used, in a sentence; null: it is, or was not needed. */
  readonly note: string | null;
}

/** "acme/my-bert at 1a2b3c4d5e6f: 6 files, 438.2 MiB, of which 400.0 MiB are to be downloaded. License: apache-2.0." */
export function hubModelText({ id, revision, files, bytes, missingBytes, license }: HubModel): string {
  const left =
    missingBytes === 0
      ? 'all of it in the cache'
      : missingBytes === bytes
        ? 'to be downloaded'
        : `of which ${formatBytes(missingBytes)} are to be downloaded`;
  const stated = license === null ? 'not stated by the model card' : license;
  return `${id} at ${revision.slice(0, 12)}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}, ${left}. License: ${stated}.`;
}
