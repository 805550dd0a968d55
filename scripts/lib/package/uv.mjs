import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { downloadFailure } from '../download-failure.mjs';
import { repoRoot } from '../layout.mjs';
import { SetupError } from '../say.mjs';

const requirements = join(repoRoot, 'resources', 'requirements', 'uv.txt');
const pythons = [process.env.TRITON_WORKBENCH_PYTHON, 'python3'].filter((name) => name);

/** pip may be told to ask for an environment, or to install for the person: neither goes with a place of its own. */
const env = { ...process.env, PIP_REQUIRE_VIRTUALENV: '0', PIP_USER: '0' };

/** The first Python of this machine that has pip. */
async function pythonWithPip() {
  for (const python of pythons) {
    const answer = await command(python, ['-m', 'pip', '--version'], { collect: true, env });
    if (answer.started && answer.code === 0) return python;
  }
  throw new SetupError(
    'A package includes uv, which the pip of this machine fetches, and no Python with pip was found: install ' +
      'python3-pip and run the command again.',
  );
}

/** Version and licence texts of the wheel that was unpacked. */
export function uvSoftware(folder) {
  const about = readdirSync(folder).find((name) => /^uv-.*\.dist-info$/.test(name));
  const licences = join(folder, about, 'licenses');
  const texts = readdirSync(licences)
    .sort()
    .map((name) => readFileSync(join(licences, name), 'utf8').trim());
  const version = /^uv-(.*)\.dist-info$/.exec(about)[1];
  return { kind: 'program', name: 'uv', version, license: 'MIT OR Apache-2.0', text: texts.join('\n\n') };
}

/**
 * Puts the pinned uv into `build/uv`, from where it goes into the package.
 * @returns {Promise<import('./notices.mjs').Software>}
 */
export async function bringUv(build, log) {
  const folder = join(build, 'uv-wheel');
  rmSync(folder, { recursive: true, force: true });
  const args = ['install', '--no-input', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:'];
  const python = await pythonWithPip();
  const got = await command(
    python,
    ['-m', 'pip', ...args, '--require-hashes', '--target', folder, '-r', requirements],
    { cwd: build, env, log, name: 'uv' },
  );
  if (got.code !== 0) throw downloadFailure('uv', got.output, log);
  const place = join(build, 'uv');
  mkdirSync(place, { recursive: true });
  copyFileSync(join(folder, 'bin', 'uv'), join(place, 'uv'));
  chmodSync(join(place, 'uv'), 0o755);
  return uvSoftware(folder);
}
