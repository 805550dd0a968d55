import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { URLSearchParams } from 'node:url';
import { command } from '../command.mjs';
import { engine, engineFailure, hasImage } from '../docker-engine.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { say, seconds, SetupError } from '../say.mjs';
import { installPackages, missingPackages } from './debian.mjs';

export const baseImage = 'debian:bookworm-slim';
const suite = 'bookworm';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** What the CPU images need of Debian, so that their build needs no network. */
const included = [
  'ca-certificates',
  'libgomp1',
  'libpython3.11',
  'nodejs',
  'python3',
  'python3-pip',
  'python3-venv',
];
/** A registry that cannot be reached is often not refused but silent. */
const registryQuietMs = 20_000;

/** The mirror that apt of this machine uses for Debian itself. Pure. */
function debianMirror(texts) {
  const uris = texts.flatMap((text) => [
    ...[...text.matchAll(/^URIs:\s*(\S+)/gm)].map((match) => match[1]),
    ...[...text.matchAll(/^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/gm)].map((match) => match[1]),
  ]);
  const mirror = uris.find((uri) => /\/debian\/?$/.test(uri));
  if (mirror !== undefined) return mirror;
  throw new SetupError(
    'The base image debian:bookworm-slim cannot be pulled, and apt names no Debian mirror to make it from: bring the ' +
      'image to this engine (docker load) and run the command again.',
  );
}

function aptSources() {
  const folder = '/etc/apt/sources.list.d';
  const names = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [...names, '/etc/apt/sources.list']
    .filter((path) => /\.(sources|list)$/.test(path) && existsSync(path))
    .map((path) => readFileSync(path, 'utf8'));
}

async function pull(reference) {
  const [name, tag] = reference.split(':');
  say(`  ${reference} from its registry`);
  const answer = await engine('POST', `/images/create?fromImage=${name}&tag=${tag}`, {
    quietMs: registryQuietMs,
  });
  const problem = engineFailure(answer);
  if (problem === null) return true;
  say(`  no registry: ${problem === 'silent' ? 'it does not answer' : problem.trim().split('\n')[0]}`);
  return false;
}

async function debootstrap(target, context) {
  if (process.getuid() !== 0) {
    throw new SetupError(
      `${baseImage} cannot be pulled and only root can make it from Debian's packages: type ` +
        '"sudo node scripts/docker-base.mjs" and run the command again.',
    );
  }
  await installPackages(missingPackages(['docker-base']), 'Making the base image of the containers', context);
  if (!existsSync(keyring)) {
    throw new SetupError(
      'The keys of the Debian archive are missing: install the package debian-archive-keyring and try again.',
    );
  }
  const log = context.logFile('debootstrap.log');
  const args = ['--variant=minbase', `--include=${included.join(',')}`, `--keyring=${keyring}`];
  const made = await command('debootstrap', [...args, suite, target, debianMirror(aptSources())], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    log,
    name: 'debootstrap',
  });
  if (made.code !== 0) throw downloadFailure(`the base image ${baseImage}`, made.output, log);
  for (const folder of ['var/cache/apt/archives', 'var/lib/apt/lists', 'var/log']) {
    for (const name of readdirSync(join(target, folder))) {
      rmSync(join(target, folder, name), { recursive: true, force: true });
    }
  }
  // debootstrap copies both from this machine.
  writeFileSync(join(target, 'etc', 'resolv.conf'), '');
  rmSync(join(target, 'etc', 'hostname'), { force: true });
}

async function importFolder(folder, reference) {
  const [name, tag] = reference.split(':');
  const tar = spawn('tar', ['-C', folder, '--numeric-owner', '-c', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tarEnd = new Promise((resolve) => {
    tar.once('error', () => resolve(127));
    tar.once('close', resolve);
  });
  const query = new URLSearchParams({ fromSrc: '-', repo: name, tag });
  for (const change of ['CMD ["bash"]', 'LABEL triton-workbench.base=debootstrap']) {
    query.append('changes', change);
  }
  const answer = await engine('POST', `/images/create?${query}`, { body: tar.stdout, quietMs: 120_000 });
  const problem = engineFailure(answer);
  if (problem !== null || (await tarEnd) !== 0) {
    throw new SetupError(`The engine did not take ${reference} (${problem ?? 'tar failed'}): try again.`);
  }
}

/** Pulls the base image, or makes it from Debian's packages where no registry is reachable; nothing when it is there. */
export async function ensureBaseImage(context, reference = baseImage) {
  if (await hasImage(reference)) return;
  const startMs = performance.now();
  say(`Base image ${reference}`);
  if (await pull(reference)) return;
  say(`  from Debian packages (about 300 MB unpacked)`);
  const target = join(context.home, 'docker-base');
  rmSync(target, { recursive: true, force: true });
  try {
    await debootstrap(target, context);
    await importFolder(target, reference);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
  say(`  ${reference} made in ${seconds(startMs)}`);
}
