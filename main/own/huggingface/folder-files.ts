import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileLimits } from '../../contract/reader-limits';
import { isTree, type Tree } from '../../contract/trees';
import { hashFile } from '../../platform/files';
import { parseBoundedJson } from '../../platform/parse-json';
import { readBoundedFile } from '../../platform/plain-entry';
import { folderRefused } from '../model-files';

const most = fileLimits.huggingFace;

interface FolderFile {
  readonly bytes: number;
  /** Completes "config.json is …"; absent for a file that is read. */
  readonly problem?: string;
}

/** Files directly in the folder, by name. */
export type FolderFiles = ReadonlyMap<string, FolderFile>;

/** The hub's cache keeps contents in `blobs`, beside `snapshots/REVISION`, whose entries are links to them. */
async function isOfHubCache(folder: string, target: string): Promise<boolean> {
  if (basename(dirname(folder)) !== 'snapshots') return false;
  const blobs = await realpath(join(folder, '..', '..', 'blobs')).catch(() => null);
  return dirname(target) === blobs;
}

async function linked(folder: string, name: string): Promise<FolderFile | null> {
  const path = join(folder, name);
  const target = await realpath(path).catch(() => null);
  if (target === null) return { bytes: 0, problem: 'a link that leads nowhere' };
  const found = await stat(target);
  if (found.isDirectory()) return null;
  if (!found.isFile()) return { bytes: 0, problem: 'a link to something that is not a regular file' };
  if (dirname(target) === folder || (await isOfHubCache(folder, target))) return { bytes: found.size };
  return { bytes: found.size, problem: 'a link that leads out of the folder' };
}

/** Throws model-folder-invalid for too many entries. */
export async function folderFiles(given: string): Promise<FolderFiles> {
  const folder = await realpath(given);
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.length > most.files) {
    const remedy = 'Give the folder of the model itself.';
    throw folderRefused(given, `The folder holds more than ${most.files} entries`, remedy);
  }
  const found = new Map<string, FolderFile>();
  for (const entry of entries) {
    const { name } = entry;
    if (entry.isDirectory()) continue;
    const file = entry.isSymbolicLink()
      ? await linked(folder, name)
      : entry.isFile()
        ? { bytes: (await stat(join(folder, name))).size }
        : { bytes: 0, problem: 'not a regular file' };
    if (file !== null) found.set(name, file);
  }
  return found;
}

/** Throws model-folder-invalid where the file is missing, or a link that is not followed. */
export function requireFile(folder: string, files: FolderFiles, name: string): FolderFile {
  const file = files.get(name);
  if (file === undefined) {
    const remedy = 'Download or copy the folder again, with all of its files.';
    throw folderRefused(join(folder, name), `The folder has no ${name}`, remedy);
  }
  if (file.problem === undefined) return file;
  const remedy = 'Copy the file itself into the folder, in place of the link (cp -rL copies a folder so).';
  throw folderRefused(join(folder, name), `${name} is ${file.problem}`, remedy);
}

/** Parsing and what follows take a stack frame per level. */
function checkDepth(text: string): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (isText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    if (depth > most.depth) throw new Error(`more than ${most.depth} lists and objects within each other`);
  }
}

/** JSON within the limits. Throws an Error that says why not. */
export function parseLimitedJson(text: string): unknown {
  checkDepth(text);
  return parseBoundedJson(text);
}

const jsonRemedy = 'Download or copy the file again.';

/** A JSON file of the folder; null where it is missing. Throws model-folder-invalid. */
export async function readJson(folder: string, files: FolderFiles, name: string): Promise<unknown> {
  if (!files.has(name)) return null;
  requireFile(folder, files, name);
  const path = join(folder, name);
  const read = await readBoundedFile(path, most.jsonBytes, { links: 'follow' });
  if (!('text' in read)) throw folderRefused(path, `${name} is not read: ${read.problem}`, jsonRemedy);
  try {
    return parseLimitedJson(read.text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw folderRefused(path, `${name} is not valid JSON: ${reason}`, jsonRemedy);
  }
}

/** The same of a file that holds an object. */
export async function readTree(folder: string, files: FolderFiles, name: string): Promise<Tree | null> {
  const value = await readJson(folder, files, name);
  if (value === null || isTree(value)) return value;
  throw folderRefused(join(folder, name), `${name} does not hold a JSON object`, jsonRemedy);
}

/** What a run can read of a folder: configuration, weights, tokenizer. */
const used = /\.(json|safetensors|txt|model|jinja)$/i;

/** SHA-256 (hex) over the names and contents of what a run can read. */
export async function hashHuggingFace(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const files = await folderFiles(folder);
  for (const name of [...files.keys()].filter((one) => used.test(one)).sort()) {
    requireFile(folder, files, name);
    hash.update(`${name}\0${await hashFile(join(folder, name))}\n`);
  }
  return hash.digest('hex');
}
