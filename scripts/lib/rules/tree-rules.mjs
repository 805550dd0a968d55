import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { repoRoot } from '../layout.mjs';

const mostFiles = 25;
const source = /^(electron|main|renderer|resources|scripts)\/.*\.(tsx?|mjs|py)$/;

/** What the tree breaks: a folder with too many files of source, and a unit test that names no source. */
export function treeProblems(files) {
  const folders = new Map();
  for (const file of files.filter((name) => source.test(name))) {
    const folder = posix.dirname(file);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const full = [...folders]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder}: ${count} files; at most ${mostFiles} in a folder`);
  const known = new Set(files);
  const orphans = files
    .filter((name) => /^test\/unit\/.*\.test\.tsx?$/.test(name))
    .filter((test) => !sourcesOf(test).some((name) => known.has(name)))
    .map(
      (test) =>
        `${test}: no source at the same path; name the test <source>.test.ts or <source>.<aspect>.test.ts`,
    );
  return [...full, ...orphans];
}

/** Those that a unit test may be of: what comes after the name of the source, behind a dot, is an aspect of it. */
function sourcesOf(test) {
  const path = test.replace(/^test\/unit\//, '').replace(/\.test\.tsx?$/, '');
  const inZone = /^(electron|renderer|scripts)\//.test(path) ? path : `main/${path}`;
  return [inZone, inZone.replace(/\.[a-z0-9-]+$/, '')].flatMap((name) =>
    ['.ts', '.tsx', '.mjs'].map((extension) => name + extension),
  );
}

/** The files of the tree that match one of the patterns, all without one: those of Git, and what is new. */
export const treeFiles = (...patterns) =>
  execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns],
    { cwd: repoRoot, encoding: 'utf8' },
  )
    .split('\n')
    .filter((name) => name !== '' && existsSync(join(repoRoot, name)));

export const treeRules = () => treeProblems(treeFiles());
