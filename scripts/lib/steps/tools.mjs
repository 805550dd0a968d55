import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { command } from '../command.mjs';
import { repoRoot } from '../layout.mjs';
import { say, seconds, SetupError } from '../say.mjs';
import { hashParts, hashTree, stampMatches, writeStamp } from '../stamp.mjs';
import { installPackages } from './debian.mjs';

/** What `triton-workbench setup` installs, in the order of need, and the file of it that is there then. */
const components = {
  python: (layout) => [layout.venv, layout.python],
  triton: (layout) => [dirname(layout.libraryPathFile), layout.tritonServer],
  'perf-analyzer': (layout) => [layout.perfAnalyzerFolder, layout.perfAnalyzer],
  tensorflow: (layout) => [layout.tensorflowFolder, layout.tensorflow],
  transformers: (layout) => [layout.transformersFolder, layout.transformers],
  trees: (layout) => [layout.treesFolder, layout.trees],
};
export const componentNames = Object.keys(components);

/** Changes of these may make a component outdated, which the set-up itself finds out. */
const sources = ['main/setup', 'main/contract/setup.ts', 'resources/requirements'];

/** A mark in the component's folder: the set-up of this very source called it ready. It saves starting it each time. */
const markOf = (folder) => join(folder, '.checked');

/** The configuration of the environment says its Python, against which the other components are laid out. */
function contentOf(folder, { venv }) {
  const config = join(venv, 'pyvenv.cfg');
  const base = existsSync(config) ? readFileSync(config, 'utf8') : '';
  return hashParts(hashTree(repoRoot, sources), readFileSync(join(folder, '.stamp'), 'utf8'), base);
}

/** Whether the component was ready when the set-up last looked, and nothing has changed since. */
export const componentReady =
  (name) =>
  ({ layout }) => {
    const [folder, file] = components[name](layout);
    if (!existsSync(file) || !existsSync(join(folder, '.stamp'))) return false;
    return stampMatches(markOf(folder), contentOf(folder, layout));
  };

/** Notes that the set-up of this source called a component ready. */
export function markReady(name, { layout }) {
  const [folder] = components[name](layout);
  writeStamp(markOf(folder), contentOf(folder, layout));
}

const cli = join(repoRoot, 'out', 'main', 'cli.cjs');

function runSetup(context, env, args, options) {
  return command(process.execPath, [cli, 'setup', ...args], { cwd: context.home, env, ...options });
}

/** Debian packages without which there can be no environment; the set-up itself says what helps where none is named. */
async function installMissingPackages(context, env) {
  const asked = await runSetup(context, env, ['--check', '--json'], { collect: true });
  let missing = [];
  try {
    missing = JSON.parse(asked.output).systemPackages;
  } catch {
    // It says why when it is to install.
  }
  const canInstall = process.getuid() === 0 && existsSync('/usr/bin/apt-get');
  if (canInstall) await installPackages(missing, 'The Python environment', context);
}

/** Installs components by the built command line, which shows its progress. */
export async function installComponents(names, env, context) {
  const startMs = performance.now();
  if (names.includes('python')) await installMissingPackages(context, env);
  const log = context.logFile('setup-command.log');
  const done = await runSetup(context, env, names, { log, name: 'Set-up', show: (line) => line });
  if (done.code !== 0) {
    throw new SetupError(`The tools were not installed: see the lines above, and try again (log: ${log}).`);
  }
  for (const name of names) markReady(name, context);
  say(`  tools installed in ${seconds(startMs)}`);
}
