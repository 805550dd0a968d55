import { chmod, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { exists, makeFolder } from '../platform/files';
import { fileBesideApp, type HomeLayout } from '../platform/layout';
import { pipSecrets } from './index-secrets';
import { failureReason, runInstaller, type SetupListener, tryInstaller } from './installer';
import {
  chooseInterpreter,
  downloadedPython,
  hostPythons,
  noInterpreter,
  type PythonFacts,
  pythonFacts,
} from './interpreter';
import { cleanEnvironment, readPipConfigs, uvEnvironment } from './package-index';
import { hashParts, readStamp, replaceFolder, writeStamp } from './stamps';

interface UvOptions {
  readonly layout: Pick<HomeLayout, 'home'>;
  /** A package includes uv. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: string | null;
}

/** uv with its environment, ready to be started. */
export interface Uv {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  /** Empty folder in the home, without user modules. */
  readonly cwd: string;
}

export const uvFolder = ({ home }: Pick<HomeLayout, 'home'>): string => join(home, 'uv');

/** uv of a package, or null in a clone. */
export const bundledUv = (resources: string): string | null => fileBesideApp(resources, join('uv', 'uv'));

/** Existing uv in package or home. Versioned path. */
async function placesOf({ layout, resources }: Pick<UvOptions, 'layout' | 'resources'>) {
  const folder = join(uvFolder(layout), 'tool');
  const requirements = join(resources, 'requirements', 'uv.txt');
  const stamp = hashParts('uv 1', await readFile(requirements, 'utf8'));
  const [bundled, fetched] = [bundledUv(resources), join(folder, 'bin', 'uv')];
  const isFetched = (await readStamp(folder)) === stamp && (await exists(fetched));
  const present = bundled !== null && (await exists(bundled)) ? bundled : isFetched ? fetched : null;
  return { folder, requirements, stamp, fetched, present };
}

/** Whether uv exists or could be installed with one of these Pythons' pip. */
export async function canHaveUv(
  places: Pick<UvOptions, 'layout' | 'resources'>,
  pythons: readonly PythonFacts[],
): Promise<boolean> {
  return pythons.some(({ hasPip }) => hasPip) || (await placesOf(places)).present !== null;
}

/** Fails quickly without a network. */
const pipFlags = ['--no-input', '--disable-pip-version-check', '--progress-bar', 'off', '--retries', '2'];

/** Overrides pip settings that would require a virtual environment or user site. */
const plainPip = { PIP_REQUIRE_VIRTUALENV: '0', PIP_USER: '0' };

/** Finds uv, or installs it into the home with pip. */
async function uvProgram(
  { layout, resources, env, log }: UvOptions,
  pythons: readonly PythonFacts[],
  secrets: readonly string[],
  listener: SetupListener,
): Promise<string> {
  const { folder, requirements, stamp, fetched, present } = await placesOf({ layout, resources });
  if (present !== null) return present;
  const python = pythons.find(({ hasPip }) => hasPip);
  if (python === undefined) {
    throw new WorkbenchError(
      'toolchain-missing',
      'uv, which makes the Python environment, is not on this machine, and no Python with pip can fetch it',
      {
        remedy:
          'Install pip ("sudo apt install python3-pip"), or install the package of the workbench, which includes uv.',
      },
    );
  }
  listener.onProgress(null, 'Downloading uv (17 MiB)');
  const fresh = `${folder}.new`;
  await rm(fresh, { recursive: true, force: true });
  const args = [
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    '--target',
    fresh,
    '-r',
    requirements,
  ];
  await runInstaller(
    {
      argv: [python.executable, '-m', 'pip', 'install', ...pipFlags, ...args],
      env: { ...cleanEnvironment(env), ...plainPip },
      cwd: uvFolder(layout),
      what: 'uv',
      log,
      secrets,
    },
    listener,
  );
  await chmod(join(fresh, 'bin', 'uv'), 0o755);
  await writeStamp(fresh, stamp);
  await replaceFolder(fresh, folder);
  return fetched;
}

/** Throws toolchain-missing if uv cannot be found or downloaded. */
export async function openUv(options: UvOptions, listener: SetupListener): Promise<Uv> {
  const { layout, env } = options;
  const cwd = uvFolder(layout);
  await makeFolder(cwd);
  const pythons = await hostPythons(env);
  const prefixes = pythons.map(({ executable }) => dirname(dirname(executable)));
  const configs = await readPipConfigs(env, [...new Set(prefixes)]);
  const carried = uvEnvironment(env, configs);
  return {
    program: await uvProgram(options, pythons, pipSecrets(configs), listener),
    env: { ...carried, UV_CACHE_DIR: join(cwd, 'cache'), UV_PYTHON_INSTALL_DIR: join(cwd, 'python') },
    cwd,
  };
}

/** A local interpreter, or one that uv downloads. Throws toolchain-missing listing found versions. */
export async function findInterpreter(
  uv: Uv,
  { env, log }: Pick<UvOptions, 'env' | 'log'>,
  listener: SetupListener,
): Promise<PythonFacts> {
  const seen = await hostPythons(env);
  const found = chooseInterpreter(seen);
  if (found !== null) return found;
  if ((env['TRITON_WORKBENCH_PYTHON'] ?? '') !== '') throw noInterpreter(seen, null);
  listener.onProgress(null, `Downloading Python ${downloadedPython} (30 MB)`);
  const { program, cwd } = uv;
  const what = `Python ${downloadedPython}`;
  const argv = [program, 'python', 'install', '--no-bin', downloadedPython] as const;
  const { exitCode, lines } = await tryInstaller({ argv: [...argv], env: uv.env, cwd, what, log }, listener);
  const details = lines.join('\n');
  if (exitCode !== 0) {
    const reason = failureReason(details) ?? 'uv could not install it';
    throw noInterpreter(seen, {
      reason: reason.replace('the package index', 'its source on GitHub'),
      details,
    });
  }
  const find = [program, 'python', 'find', '--managed-python', '--no-project', downloadedPython] as const;
  const [path] = await runInstaller({ argv: [...find], env: uv.env, cwd, what, log }, listener);
  const facts = path === undefined ? null : await pythonFacts(path.trim(), cleanEnvironment(env));
  if (facts === null || chooseInterpreter([facts]) === null) {
    throw noInterpreter(seen, {
      reason: 'the interpreter that uv installed does not run on this machine',
      details,
    });
  }
  return facts;
}
