import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultHome, homeLayout, repoRoot } from './layout.mjs';
import { lockFolder, unlockAll } from './lock.mjs';
import { say, seconds, SetupError } from './say.mjs';
import { buildApp, buildReady } from './steps/build.mjs';
import { hasDisplay, installPackages, missingPackages } from './steps/debian.mjs';
import { electronReady, installElectron } from './steps/electron.mjs';
import { installNodeModules, nodeModulesReady } from './steps/node-modules.mjs';
import { installPythonCheck, pythonCheckReady } from './steps/python-check.mjs';
import { componentNames, componentReady, installComponents } from './steps/tools.mjs';

const oldestNode = [20, 19];

/** The clone, in the order of need. */
const cloneSteps = [
  { name: 'modules', ready: nodeModulesReady, make: installNodeModules },
  { name: 'build', ready: buildReady, make: buildApp },
];

/** The home, which needs the clone; the two chains have nothing to do with each other and run side by side. */
const homeChains = [
  [{ name: 'electron', ready: electronReady, make: installElectron, inHome: true }],
  [
    ...componentNames.map((name) => ({ name, ready: componentReady(name), component: true, inHome: true })),
    { name: 'python-check', ready: pythonCheckReady, make: installPythonCheck, inHome: true },
  ],
];
const allSteps = [...cloneSteps, ...homeChains.flat()];

/** Sets of needs, by what a command does. */
export const needs = {
  /** Lists and helps: the bundle alone. */
  core: ['modules', 'build'],
  /** Measures a Triton that is already running, by the perf_analyzer binary. */
  perfAnalyzer: ['modules', 'build', 'python', 'perf-analyzer'],
  /** Builds images for containers. */
  images: ['modules', 'build', 'python'],
  /** Writes a report: PDF by Electron. */
  report: ['modules', 'build', 'electron'],
  run: ['modules', 'build', 'electron', 'python', 'triton', 'perf-analyzer'],
  check: ['modules', 'build', 'python', 'python-check'],
  /** Compares networks in Python; `tensorflow` with a TensorFlow model. */
  vectors: ['modules', 'build', 'python'],
  /** Makes Hugging Face folders, and runs them. */
  huggingFace: ['modules', 'build', 'electron', 'python', 'triton', 'perf-analyzer', 'transformers'],
  /** Trains tree models and pipelines, and runs them. */
  trees: ['modules', 'build', 'electron', 'python', 'triton', 'perf-analyzer', 'trees'],
  test: ['modules', 'build', 'electron', 'python', 'triton', 'perf-analyzer', 'python-check'],
};

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  throw new SetupError(
    `Node ${oldestNode.join('.')} or newer is needed and this is ${process.versions.node}: install a newer Node ` +
      'and run the command again.',
  );
}

/** `recursive` of mkdirSync never ends where a file system says "no such file" to a new folder, as /proc does. */
function makeFolder(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return;
    if (error.code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder);
  }
}

function checkWritable(folder, what, remedy) {
  try {
    makeFolder(folder);
    accessSync(join(folder, '.'), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new SetupError(
      `${what} ${folder} cannot be written (${error.code}): ${remedy}, then run the command again.`,
    );
  }
}

function checkHome(home) {
  checkWritable(
    home,
    'The workbench home',
    'make it writable for your user or set TRITON_WORKBENCH_HOME to a folder that is',
  );
}

function makeContext() {
  const home = defaultHome();
  const layout = homeLayout(home);
  const logFile = (name) => {
    try {
      makeFolder(layout.logs);
      accessSync(layout.logs, constants.W_OK);
    } catch {
      return join(tmpdir(), `triton-workbench-${process.pid}-${name}`);
    }
    const path = join(layout.logs, name);
    rmSync(path, { force: true });
    return path;
  };
  return { home, layout, logFile };
}

/** The environment the app, the CLI and the tests are started with. */
export function appEnvironment(home, env = process.env) {
  return {
    ...env,
    TRITON_WORKBENCH_HOME: home,
    TRITON_WORKBENCH_RESOURCES: join(repoRoot, 'resources'),
    TRITON_WORKBENCH_APP: repoRoot,
  };
}

/** Makes what is due of a chain, all components by one start of the set-up. */
async function runChain(chain, wanted, context) {
  const isDue = (step) => wanted.includes(step.name) && !step.ready(context);
  const components = chain.filter((step) => step.component && isDue(step)).map(({ name }) => name);
  if (components.length > 0) await installComponents(components, appEnvironment(context.home), context);
  for (const step of chain) if (!step.component && isDue(step)) await step.make(context);
}

/** Whether all `wanted` is there, as `bootstrap` has it. */
export function isSetUp(wanted, system = {}) {
  const context = makeContext();
  const groups = (system.packages ?? []).filter((group) => group !== 'display' || !hasDisplay());
  const steps = allSteps.filter((step) => wanted.includes(step.name));
  return missingPackages(groups).length === 0 && steps.every((step) => step.ready(context));
}

/**
 * Makes sure that all `wanted` is there; says and does nothing where it is.
 * @param {string[]} wanted one of `needs`
 * @param {{packages?: string[], purpose?: string}} [system] groups of Debian packages
 * @returns the home and its layout
 */
export async function bootstrap(wanted, system = {}) {
  checkNode();
  const context = makeContext();
  const steps = allSteps.filter((step) => wanted.includes(step.name));
  if (steps.some((step) => step.inHome)) checkHome(context.home);
  const groups = (system.packages ?? []).filter((group) => group !== 'display' || !hasDisplay());
  const missing = missingPackages(groups);
  const due = steps.filter((step) => !step.ready(context));
  if (due.length === 0 && missing.length === 0) return context;

  const startMs = performance.now();
  const first = missing.length > 0 || due.some((step) => step.name !== 'build');
  if (first) say('Setting up the workbench (once)');
  if (due.some((step) => !step.inHome)) {
    checkWritable(repoRoot, 'The clone', 'make it writable for your user');
    await lockFolder(repoRoot);
  }
  if (missing.length > 0 || due.some((step) => step.inHome)) {
    checkHome(context.home);
    await lockFolder(context.home);
  }
  await installPackages(missingPackages(groups), system.purpose ?? 'The workbench', context);
  await runChain(cloneSteps, wanted, context);
  const ends = await Promise.allSettled(homeChains.map((chain) => runChain(chain, wanted, context)));
  unlockAll();
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  if (first) say(`Set up in ${seconds(startMs)}`);
  return context;
}
