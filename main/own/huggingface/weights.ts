import { join } from 'node:path';
import { fileLimits } from '../../contract/reader-limits';
import { isTree } from '../../contract/trees';
import { shortText, someOf } from '../../platform/lines';
import { folderRefused } from '../model-files';
import { singleWeights as single, weightsIndex as index } from './file-names';
import { type FolderFiles, readTree, requireFile } from './folder-files';
import { readSafetensors, type StoredTensor } from './safetensors';

const most = fileLimits.huggingFace;

export interface Weights {
  readonly files: readonly string[];
  readonly bytes: number;
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

export const hasWeights = (files: FolderFiles): boolean => files.has(single) || files.has(index);

const again = 'Download or copy the folder again, with all of its files.';

/** Names of the shards, with the tensors that each is said to hold. Throws model-folder-invalid. */
async function shardsOf(folder: string, files: FolderFiles): Promise<ReadonlyMap<string, readonly string[]>> {
  const refused = (message: string) => folderRefused(join(folder, index), `${index} ${message}`, again);
  const map = (await readTree(folder, files, index))?.['weight_map'];
  const entries = Object.entries(isTree(map) ? map : {});
  if (entries.length === 0) throw refused('names no weights');
  if (entries.length > most.tensors) throw refused(`names more than ${most.tensors} tensors`);
  const shards = new Map<string, string[]>();
  for (const [tensor, file] of entries) {
    if (typeof file !== 'string' || !/^[\w-][\w.-]{0,200}\.safetensors$/.test(file)) {
      throw refused(`names "${shortText(String(file))}" as a file of the folder`);
    }
    const held = shards.get(file);
    if (held === undefined) shards.set(file, [tensor]);
    else held.push(tensor);
    if (shards.size > most.shards) throw refused(`names more than ${most.shards} files`);
  }
  const missing = [...shards.keys()].filter((name) => !files.has(name));
  if (missing.length > 0) throw refused(`names files that are missing: ${someOf(missing)}`);
  return shards;
}

/** Reads the headers of all weights. Throws model-folder-invalid for the first that is missing or not believed. */
export async function readWeights(folder: string, files: FolderFiles): Promise<Weights> {
  const isSingle = files.has(single);
  const shards: ReadonlyMap<string, readonly string[]> = isSingle
    ? new Map([[single, []]])
    : await shardsOf(folder, files);
  const tensors = new Map<string, StoredTensor>();
  let bytes = 0;
  for (const [name, wanted] of shards) {
    bytes += requireFile(folder, files, name).bytes;
    const path = join(folder, name);
    const held = readSafetensors(path);
    const lacking = wanted.filter((tensor) => !held.has(tensor));
    if (lacking.length > 0) {
      throw folderRefused(path, `${name} lacks tensors that ${index} names: ${someOf(lacking)}`, again);
    }
    for (const [tensor, stored] of held) tensors.set(tensor, stored);
    if (tensors.size > most.tensors) {
      throw folderRefused(folder, `The weights have more than ${most.tensors} tensors`, again);
    }
  }
  return { files: [...shards.keys()], bytes, tensors };
}
