import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { command } from '../command.mjs';
import { SetupError } from '../say.mjs';

const sumOf = (content) => createHash('sha256').update(content).digest('hex');

/** What a package has at each path: kind, mode and content. */
function contentOf(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const stat = lstatSync(path);
    const content = entry.isSymbolicLink()
      ? readlinkSync(path)
      : entry.isFile()
        ? sumOf(readFileSync(path))
        : '';
    found.set(relative(folder, path), `${stat.mode.toString(8)} ${content}`);
  }
  return found;
}

/** Paths that only one of two folders has, or that differ in kind, mode or content. Sorted. */
export function differentPaths(first, second) {
  const [a, b] = [contentOf(first), contentOf(second)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
}

/**
 * Compares two debs byte for byte.
 * @param {string} folder for their content, where they differ
 * @returns {Promise<{sum: string} | {differences: string[]}>} SHA-256 of both, or what differs in them
 */
export async function compareDebs(first, second, folder) {
  const [a, b] = [first, second].map((file) => sumOf(readFileSync(file)));
  if (a === b) return { sum: a };
  const unpacked = [];
  for (const [index, file] of [first, second].entries()) {
    const target = join(folder, String(index + 1));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    const done = await command('dpkg-deb', ['--raw-extract', file, target]);
    if (done.code !== 0) throw new SetupError(`${basename(file)} cannot be unpacked: ${done.output}`);
    unpacked.push(target);
  }
  const paths = differentPaths(unpacked[0], unpacked[1]);
  return { differences: paths.length === 0 ? ['times or order of the archive'] : paths };
}

/** Two builds in which nothing is the same that must not matter: time, zone, language, rights of new files. */
const places = [
  { TZ: 'UTC', LC_ALL: 'C.UTF-8', umask: '022' },
  { TZ: 'Pacific/Auckland', LC_ALL: 'C', umask: '077' },
];

/**
 * Builds the package for tests twice, each time from the sources.
 * @param {string} root of the clone @param {string} keep folder that gets the first deb
 * @param {() => string} newest the deb that was made last
 * @returns {Promise<[string, string]>} both debs
 */
export async function buildTwice(root, keep, newest) {
  mkdirSync(keep, { recursive: true });
  const made = [];
  for (const { umask, ...env } of places) {
    rmSync(join(root, 'out'), { recursive: true, force: true });
    rmSync(join(root, 'dist', 'build'), { recursive: true, force: true });
    const line = `umask ${umask}; exec "$0" "$@"`;
    const args = ['-c', line, process.execPath, join(root, 'scripts', 'package.mjs'), '--test', 'deb'];
    const done = await command('sh', args, {
      cwd: root,
      env: { ...process.env, ...env },
      show: (text) => text,
    });
    if (done.code !== 0) throw new SetupError('The package was not made: see above.');
    const file = join(keep, `${made.length + 1}.deb`);
    copyFileSync(newest(), file);
    made.push(file);
  }
  return made;
}
