import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { SetupError } from '../say.mjs';
import { installPackages, missingPackages } from './debian.mjs';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The mirror that apt of this machine uses for Debian itself. Pure. */
function debianMirror(texts, { name, otherwise }) {
  const uris = texts.flatMap((text) => [
    ...[...text.matchAll(/^URIs:\s*(\S+)/gm)].map((match) => match[1]),
    ...[...text.matchAll(/^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/gm)].map((match) => match[1]),
  ]);
  const mirror = uris.find((uri) => /\/debian\/?$/.test(uri));
  if (mirror !== undefined) return mirror;
  throw new SetupError(
    `${name} is made from Debian's packages, and apt names no Debian mirror here: ${otherwise} and run the command again.`,
  );
}

function aptSources() {
  const folder = '/etc/apt/sources.list.d';
  const names = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [...names, '/etc/apt/sources.list']
    .filter((path) => /\.(sources|list)$/.test(path) && existsSync(path))
    .map((path) => readFileSync(path, 'utf8'));
}

/**
 * Makes a folder with a minimal Debian.
 * @param {object} wanted
 * @param {string} wanted.suite
 * @param {string} wanted.target
 * @param {string[]} wanted.included packages beyond the minimum
 * @param {string} wanted.purpose what cannot be done without debootstrap
 * @param {string} wanted.name what is made, as the subject of a sentence
 * @param {string} wanted.asRoot the command for who is not root
 * @param {string} wanted.otherwise what helps where apt names no mirror
 */
export async function debootstrap(wanted, context) {
  const { suite, target, included, purpose, name, asRoot } = wanted;
  if (process.getuid() !== 0) {
    throw new SetupError(
      `${name} is made from Debian's packages, and only root can do that: type "${asRoot}" and run the command again.`,
    );
  }
  await installPackages(missingPackages(['docker-base']), purpose, context);
  if (!existsSync(keyring)) {
    throw new SetupError(
      'The keys of the Debian archive are missing: install the package debian-archive-keyring and try again.',
    );
  }
  const log = context.logFile(`debootstrap-${suite}.log`);
  const include = included.length === 0 ? [] : [`--include=${included.join(',')}`];
  const args = ['--variant=minbase', ...include, `--keyring=${keyring}`];
  const mirror = debianMirror(aptSources(), wanted);
  const made = await command('debootstrap', [...args, suite, target, mirror], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    log,
    name: 'debootstrap',
  });
  if (made.code !== 0) throw downloadFailure(`Debian ${suite}`, made.output, log);
}
