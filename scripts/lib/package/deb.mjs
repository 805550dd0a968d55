import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { command } from '../command.mjs';
import { SetupError } from '../say.mjs';
import { iconSizes } from './icons.mjs';
import { openUp } from './modes.mjs';

const debArchitecture = { x64: 'amd64', arm64: 'arm64' };

/** What Electron links, and loads by name; the second names are those since libraries have 64-bit times. */
const depends = [
  'libasound2t64 | libasound2',
  'libgbm1',
  'libgtk-3-0t64 | libgtk-3-0',
  'libnss3',
  'libx11-xcb1',
  // What the set-up makes its environment with, where it is a version that Triton's package is built for.
  'python3',
  'libpython3.11 | libpython3.12t64 | libpython3.12 | libpython3.10 | libpython3.9 | libpython3.13',
];
/** Drawing by the GPU, the PDF of a machine without a display, opening files, notifications and kept logins. */
const recommends = ['libgl1', 'xvfb', 'xdg-utils', 'libnotify4', 'libsecret-1-0'];

/** A pre-release of npm's comes before the release, as with "~" of Debian's. */
export const debVersion = (version) => version.replace('-', '~');

/**
 * The control file of the package.
 * @param {{name: string, test: boolean, version: string}} identity
 * @param {{description: string, homepage: string | null, maintainer: string}} about
 */
export function controlFile(identity, about, { installedKib, arch = process.arch }) {
  const other = identity.test ? identity.name.replace(/-test$/, '') : `${identity.name}-test`;
  return [
    `Package: ${identity.name}`,
    `Version: ${debVersion(identity.version)}`,
    `Architecture: ${debArchitecture[arch]}`,
    `Maintainer: ${about.maintainer}`,
    `Installed-Size: ${installedKib}`,
    `Depends: ${depends.join(', ')}`,
    `Recommends: ${recommends.join(', ')}`,
    'Suggests: docker.io',
    `Conflicts: ${other}`,
    `Replaces: ${other}`,
    'Section: science',
    'Priority: optional',
    ...(about.homepage === null ? [] : [`Homepage: ${about.homepage}`]),
    'Description: Deploy models on NVIDIA Triton and measure them',
    ` ${about.description}`,
    ...(identity.test ? [' .', ' This package is for tests only: its Electron is not a supported one.'] : []),
    '',
  ].join('\n');
}

export const debName = (identity, arch = process.arch) =>
  `${identity.name}_${debVersion(identity.version)}_${debArchitecture[arch]}.deb`;

function kibBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) =>
      sum + Math.max(1, Math.ceil(lstatSync(join(entry.parentPath ?? entry.path, entry.name)).size / 1024)),
    0,
  );
}

/** Lays out the files of the system below `tree`. */
function layOut({ root, build, app, icons, identity, tree }) {
  const share = join(tree, 'usr', 'share');
  const program = join(tree, 'usr', 'lib', 'triton-workbench');
  const desktop = (name) => join(root, 'resources', 'desktop', name);
  cpSync(app, program, { recursive: true, verbatimSymlinks: true });
  for (const size of iconSizes.filter((pixels) => pixels <= 512)) {
    const square = `${size}x${size}`;
    cpSync(
      join(icons, `${square}.png`),
      join(share, 'icons', 'hicolor', square, 'apps', 'triton-workbench.png'),
    );
  }
  cpSync(
    join(root, 'resources', 'icons', 'triton-workbench.svg'),
    join(share, 'icons', 'hicolor', 'scalable', 'apps', 'triton-workbench.svg'),
  );
  cpSync(desktop('triton-workbench.desktop'), join(share, 'applications', 'triton-workbench.desktop'));
  cpSync(desktop('triton-workbench.xml'), join(share, 'mime', 'packages', 'triton-workbench.xml'));
  cpSync(join(build, 'share'), share, { recursive: true });
  const doc = join(share, 'doc', identity.name);
  mkdirSync(doc, { recursive: true });
  const licences = ['NOTICE', 'LICENSE'].map((name) => readFileSync(join(root, name), 'utf8'));
  writeFileSync(join(doc, 'copyright'), licences.join('\n'));
  writeFileSync(join(doc, 'changelog.gz'), gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }));
  mkdirSync(join(tree, 'usr', 'bin'), { recursive: true });
  const start = join(program, 'bin', 'triton-workbench');
  symlinkSync(relative(join(tree, 'usr', 'bin'), start), join(tree, 'usr', 'bin', 'triton-workbench'));
  openUp(tree);
  // Chromium's own sandbox, where user namespaces may not be made; it takes root's right for that and nothing else.
  chmodSync(join(program, 'chrome-sandbox'), 0o4755);
}

/**
 * Makes the Debian package of the unpacked app, by Debian's dpkg-deb.
 * @param {{root: string, build: string, app: string, icons: string, out: string, log: string, epoch: number}} places epoch: no file is
 *   newer, in seconds
 * @returns {Promise<string>} the file
 */
export async function makeDeb(places, identity, about) {
  const { out, log, epoch } = places;
  const tree = join(out, 'deb');
  rmSync(tree, { recursive: true, force: true });
  layOut({ ...places, identity, tree });
  const installedKib = kibBelow(tree);
  mkdirSync(join(tree, 'DEBIAN'));
  writeFileSync(join(tree, 'DEBIAN', 'control'), controlFile(identity, about, { installedKib }));
  for (const folder of [tree, join(tree, 'DEBIAN')]) chmodSync(folder, 0o755);
  const file = join(out, debName(identity));
  // A package for tests is made often and kept short.
  const packing = identity.test ? ['-Zgzip', '-z1'] : ['-Zxz'];
  const made = await command('dpkg-deb', ['--root-owner-group', ...packing, '--build', tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    log,
    name: 'deb',
  });
  if (!made.started) {
    throw new SetupError(
      'A deb is made by Debian’s dpkg-deb: install the package dpkg and run the command again.',
    );
  }
  if (made.code !== 0) throw new SetupError(`dpkg-deb failed (log: ${log}): ${made.output}`);
  rmSync(tree, { recursive: true });
  return file;
}
