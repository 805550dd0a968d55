import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
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
async function isOfHubCache(root: string, target: string): Promise<boolean> {
  if (basename(dirname(root)) !== 'snapshots') return false;
  const blobs = await realpath(join(root, '..', '..', 'blobs')).catch(() => null);
  return dirname(target) === blobs;
}

interface Place {
  /** Of the model. */
  readonly root: string;
  /** That is listed: the same, or a folder directly in it. */
  readonly folder: string;
}

async function linked({ root, folder }: Place, name: string): Promise<FolderFile | null> {
  const target = await realpath(join(folder, name)).catch(() => null);
  const found = target === null ? null : await stat(target).catch(() => null);
  if (target === null || found === null) return { bytes: 0, problem: 'a link that leads nowhere' };
  if (found.isDirectory()) return null;
  if (!found.isFile()) return { bytes: 0, problem: 'a link to something that is not a regular file' };
  const isInside = [folder, root].includes(dirname(target));
  if (isInside || (await isOfHubCache(root, target))) return { bytes: found.size };
  return { bytes: found.size, problem: 'a link that leads out of the folder' };
}

/** A name that is not UTF-8 is decoded to another one, which leads nowhere. */
async function plain({ folder }: Place, name: string): Promise<FolderFile> {
  const found = await stat(join(folder, name)).catch(() => null);
  return found === null ? { bytes: 0, problem: 'not readable by its name' } : { bytes: found.size };
}

/** Not `readdir`, which has read all of them before they can be counted. Throws model-folder-invalid. */
async function entriesOf(given: string, folder: string): Promise<readonly Dirent[]> {
  const found: Dirent[] = [];
  for await (const entry of await opendir(folder)) {
    found.push(entry);
    if (found.length <= most.files) continue;
    const remedy = 'Give the folder of the model itself.';
    throw folderRefused(given, `The folder holds more than ${most.files} entries`, remedy);
  }
  return found;
}

/** Throws model-folder-invalid where it is missing, or a link out of the model's folder. */
async function placeOf(given: string, inner: string): Promise<Place> {
  const root = await realpath(given);
  if (inner === '') return { root, folder: root };
  const folder = await realpath(join(root, inner)).catch(() => null);
  const isFolder = folder !== null && (await stat(folder)).isDirectory();
  if (folder !== null && isFolder && dirname(folder) === root) return { root, folder };
  const what =
    folder === null ? 'missing' : isFolder ? 'a link that leads out of the folder' : 'not a folder';
  const remedy = 'Download or copy the folder again, with all of its files.';
  throw folderRefused(join(given, inner), `${inner} is ${what}`, remedy);
}

/**
 * Files directly in the folder of a model, or in one inside it. Throws model-folder-invalid for too many entries, and
 * for an inner folder that is elsewhere.
 */
export async function folderFiles(given: string, inner = ''): Promise<FolderFiles> {
  const place = await placeOf(given, inner);
  const found = new Map<string, FolderFile>();
  for (const entry of await entriesOf(given, place.folder)) {
    const { name } = entry;
    if (entry.isDirectory()) continue;
    const file = entry.isSymbolicLink()
      ? await linked(place, name)
      : entry.isFile()
        ? await plain(place, name)
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
  const remedy =
    'Copy the file itself into the folder, in place of the link (cp -rL does this for a whole folder).';
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

/** Folders of the modules of sentence-transformers. */
const moduleFolder = /^\d{1,2}_[A-Za-z]{1,40}$/;

/** SHA-256 (hex) over the names and contents of what a run can read. */
export async function hashHuggingFace(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const modules = (await entriesOf(folder, folder))
    .map(({ name }) => name)
    .filter((name) => moduleFolder.test(name));
  for (const inner of ['', ...modules.sort()]) {
    const files = await folderFiles(folder, inner);
    for (const name of [...files.keys()].filter((one) => used.test(one)).sort()) {
      requireFile(join(folder, inner), files, name);
      hash.update(`${join(inner, name)}\0${await hashFile(join(folder, inner, name))}\n`);
    }
  }
  return hash.digest('hex');
}
