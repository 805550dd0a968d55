import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repoRoot } from './layout.mjs';

const declaration = /^export (?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

function filesBelow(folder) {
  return readdirSync(join(repoRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/**
 * Exports that nothing names but their own declaration: `file: name` each. What only tests name counts as unused.
 * By word, not by type: it misses a name that is also used for something else, and never complains about one in use.
 */
export function unusedExports() {
  const unused = [];
  for (const folders of [
    ['main', 'electron', 'renderer'],
    ['test', 'scripts'],
  ]) {
    const texts = folders.flatMap(filesBelow).map((path) => ({ path, text: readFileSync(path, 'utf8') }));
    const times = new Map();
    for (const { text } of texts) {
      for (const word of text.match(/\w+/g) ?? []) times.set(word, (times.get(word) ?? 0) + 1);
    }
    for (const { path, text } of texts) {
      for (const [, name] of text.matchAll(declaration)) {
        if (times.get(name) === 1) unused.push(`${relative(repoRoot, path)}: ${name}`);
      }
    }
  }
  return unused;
}
