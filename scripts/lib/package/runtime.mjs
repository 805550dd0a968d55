import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { SetupError } from '../say.mjs';

/** Version of the Electron that was set up, from itself: what it was installed from does not say it. */
export async function runtimeVersion(electron) {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const said = await command(electron, ['-p', 'process.versions.electron'], { env, collect: true });
  const version = said.output.trim();
  if (said.code === 0 && /^\d+\.\d+\.\d+/.test(version)) return version;
  throw new SetupError(`The Electron runtime does not say its version: ${said.errors.trim() || said.output}`);
}

/**
 * What a package is called. With the runtime that stands in where Electron cannot be downloaded, only one for tests is
 * made, and that says so in its name and version.
 * @param {{name: string, version: string, wanted: string, found: string, test: boolean}} facts
 */
export function packageIdentity({ name, version, wanted, found, test }) {
  if (test) return { name: `${name}-test`, version: `${version}-test.electron.${found}`, test: true };
  if (found === wanted) return { name, version, test: false };
  throw new SetupError(
    `A package is made with Electron ${wanted}, and this machine has Electron ${found}, which is for tests ` +
      'where GitHub cannot be reached: run the command where it can, or make a package for tests only with ' +
      '"npm run package -- --test".',
  );
}

/** The runtime as it came: without the app that stands in for its default one, and without the set-up's own mark. */
export function copyRuntime(folder, target) {
  rmSync(target, { recursive: true, force: true });
  cpSync(folder, target, { recursive: true, verbatimSymlinks: true });
  for (const entry of ['.stamp', join('resources', 'app')]) {
    rmSync(join(target, entry), { recursive: true, force: true });
  }
}

export const manifestOf = (root) => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
