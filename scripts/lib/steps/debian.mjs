import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { say, SetupError } from '../say.mjs';

const triplet = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch] ?? '-';
const libraryFolders = [`/usr/lib/${triplet}`, `/lib/${triplet}`, '/usr/lib64', '/lib64', '/usr/lib', '/lib'];

const library = (name) => () => libraryFolders.some((folder) => existsSync(join(folder, name)));
/** The last two are not on everybody's PATH. */
const programFolders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
const program = (name) => () => programFolders.some((folder) => existsSync(join(folder, name)));

const xvfb = { name: 'xvfb', present: program('Xvfb') };

/** Found by the file that is needed, not by the package's name: other systems name their packages otherwise. */
const packages = {
  window: [
    { name: 'libgtk-3-0', present: library('libgtk-3.so.0') },
    { name: 'libnss3', present: library('libnss3.so') },
    { name: 'libasound2', present: library('libasound.so.2') },
    { name: 'libgbm1', present: library('libgbm.so.1') },
    // Loaded by name when the window opens, so that nothing says that it is missing.
    { name: 'libx11-xcb1', present: library('libX11-xcb.so.1') },
  ],
  display: [xvfb],
  // Tests open their windows where nobody sees them, on a desktop too.
  test: [
    xvfb,
    { name: 'poppler-utils', present: program('pdftotext') },
    { name: 'strace', present: program('strace') },
    // A private cluster for runs as jobs.
    { name: 'slurm-wlm', present: program('slurmctld') },
    { name: 'munge', present: program('munged') },
  ],
  docker: [{ name: 'docker.io', present: program('dockerd') }],
  'docker-compose': [{ name: 'docker-compose', present: program('docker-compose') }],
  'docker-test': [
    { name: 'docker-registry', present: program('docker-registry') },
    { name: 'busybox-static', present: program('busybox') },
    { name: 'openssh-server', present: program('sshd') },
  ],
  'docker-base': [{ name: 'debootstrap', present: program('debootstrap') }],
};

export function hasDisplay(env = process.env) {
  return Boolean(env.DISPLAY);
}

/** Names of the Debian packages that are missing for the given groups. */
export function missingPackages(groups) {
  return groups
    .flatMap((group) => packages[group])
    .filter((entry) => !entry.present())
    .map((entry) => entry.name);
}

/** Newer Debian and Ubuntu renamed libraries with a 64-bit time. */
async function currentNames(names) {
  const known = await command('apt-cache', ['pkgnames', 'libasound2t64'], { collect: true });
  const renamed = { libasound2: 'libasound2t64', 'libgtk-3-0': 'libgtk-3-0t64' };
  return known.output.includes('libasound2t64') ? names.map((name) => renamed[name] ?? name) : names;
}

/**
 * Installs Debian packages as root; otherwise fails with the command to type.
 * @param {string[]} names
 * @param {string} purpose what cannot be done without them
 */
export async function installPackages(names, purpose, context) {
  if (names.length === 0) return;
  const apt = ['/usr/bin/apt-get', '/bin/apt-get'].some((path) => existsSync(path));
  if (!apt) {
    throw new SetupError(
      `${purpose} needs what Debian calls ${names.join(', ')}: install the like with this system's package ` +
        'manager and run the command again.',
    );
  }
  const wanted = await currentNames(names);
  if (process.getuid() !== 0) {
    throw new SetupError(
      `${purpose} needs Debian packages that only root can install: type ` +
        `"sudo apt-get install -y --no-install-recommends ${wanted.join(' ')}" and run the command again.`,
    );
  }
  say(`Debian packages: ${wanted.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const log = context.logFile('apt.log');
  const options = { env, log, name: 'apt-get', show: (line) => /^Need to get /.exec(line) && line };
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  await command('apt-get', ['update', ...wait], { env, log, name: 'apt-get update' });
  const fresh = await currentNames(names);
  const args = ['install', '-y', '--no-install-recommends', ...wait, ...fresh];
  const done = await command('apt-get', args, options);
  if (done.code !== 0) throw downloadFailure(`the Debian packages ${fresh.join(' ')}`, done.output, log);
}
