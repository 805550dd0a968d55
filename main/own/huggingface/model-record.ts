import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRecord } from '../../contract/own/model-record';
import type { FileEntry } from '../../contract/run/artefacts';
import { hashFile } from '../../platform/files';
import { hubPlaceOf } from './hub-place';
import type { HuggingFaceFacts } from './read-folder';

/** Links of the hub's cache are followed: the reader has checked them. */
async function entriesOf(folder: string, names: readonly string[]): Promise<FileEntry[]> {
  const found: FileEntry[] = [];
  for (const path of names) {
    const file = join(folder, path);
    found.push({ path, bytes: (await stat(file)).size, sha256: await hashFile(file) });
  }
  return found;
}

/** As `sha256sum NAMES | sha256sum`. */
function hashOfList(files: readonly FileEntry[]): string {
  const lines = files.map(({ path, sha256 }) => `${sha256}  ${path}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** What exactly a folder holds; all weights are read. */
export async function readModelRecord(
  folder: string,
  { weights: { files }, tokenizerFiles, card }: HuggingFaceFacts,
): Promise<ModelRecord> {
  const weights = await entriesOf(folder, [...files].sort());
  const [only, ...others] = weights;
  return {
    hub: hubPlaceOf(folder),
    weights,
    weightsSha256: only !== undefined && others.length === 0 ? only.sha256 : hashOfList(weights),
    tokenizer: await entriesOf(folder, tokenizerFiles),
    card,
  };
}
