import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** SHA-256 (hex) over the given texts or buffers, in order. */
export function hashParts(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part);
    hash.update('\0');
  }
  return hash.digest('hex');
}

/** SHA-256 (hex) over names and contents of files and folders, given relative to `root`. */
export function hashTree(root, entries) {
  const hash = createHash('sha256');
  const visit = (path) => {
    let names;
    try {
      names = readdirSync(join(root, path));
    } catch (error) {
      if (error.code === 'ENOENT') return;
      if (error.code !== 'ENOTDIR') throw error;
      hash.update(`${path}\0`);
      hash.update(readFileSync(join(root, path)));
      return;
    }
    for (const name of names.sort()) visit(join(path, name));
  };
  for (const entry of entries) visit(entry);
  return hash.digest('hex');
}

/** The stamp is the last thing a step writes: while it is absent or different, the step is done again. */
export function stampMatches(path, content) {
  try {
    return readFileSync(path, 'utf8') === content;
  } catch {
    return false;
  }
}

export function writeStamp(path, content) {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

/** Puts a finished folder in the place of an older one; a kill between leaves none, and the step is done again. */
export function replaceFolder(finished, place) {
  rmSync(place, { recursive: true, force: true });
  renameSync(finished, place);
}
