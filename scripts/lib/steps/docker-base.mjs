import { spawn } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { URLSearchParams } from 'node:url';
import { engine, engineFailure, hasImage } from '../docker-engine.mjs';
import { say, seconds, SetupError } from '../say.mjs';
import { debootstrap } from './debootstrap.mjs';

export const baseImage = 'debian:bookworm-slim';
const suite = 'bookworm';
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

async function layOut(target, context) {
  await debootstrap(
    {
      suite,
      target,
      included,
      purpose: 'Making the base image of the containers',
      name: `The base image ${baseImage}, which cannot be pulled,`,
      asRoot: 'sudo node scripts/docker-base.mjs',
      otherwise: 'bring the image to this engine (docker load)',
    },
    context,
  );
  // What no image needs.
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
    await layOut(target, context);
    await importFolder(target, reference);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
  say(`  ${reference} made in ${seconds(startMs)}`);
}
