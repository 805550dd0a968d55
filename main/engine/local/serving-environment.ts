import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import type { Framework } from '../../contract/run/run-spec';
import { exec } from '../../platform/exec';
import { exists, hashValue, makeFolder } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { pythonFacts } from '../../setup/interpreter';
import { cleanEnvironment } from '../../setup/package-index';
import { libraryOf } from '../../setup/pinned';
import { layOutTriton } from '../../setup/triton';
import { visibleVersions } from '../../setup/visible-packages';
import { type LocalToolchain, readLocalToolchain } from './server-command';

/** Folder of a serving environment, and the framework of the models that it serves. */
export interface ServingEnvironment {
  readonly folder: string;
  readonly framework: Framework;
}

const serverIn = (folder: string): string => join(folder, 'bin', 'tritonserver');
const stubIn = (folder: string): string => join(folder, 'backends', 'python', 'triton_python_backend_stub');

/** The first that exists; null: none. */
async function firstThere(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if (await exists(path)) return path;
  return null;
}

interface Parts {
  /** Folder of a Triton as the workbench lays it out; null: that of the home. */
  readonly triton: string | null;
  /** Python of its models; null: that of the home. */
  readonly python: string | null;
}

/** Another home, or a folder with a Triton of its own. */
async function withTriton({ folder, framework }: ServingEnvironment): Promise<Parts | null> {
  const server = await firstThere([join(folder, 'triton'), folder].map(serverIn));
  if (server === null) return null;
  const triton = dirname(dirname(server));
  if (!(await exists(stubIn(triton)))) {
    throw new WorkbenchError('toolchain-missing', 'The Triton there has no Python backend', {
      where: triton,
      remedy: 'Name the folder of a Triton with backends/python.',
    });
  }
  const names = framework === 'tf' ? ['tensorflow', 'python'] : ['python'];
  return { triton, python: await firstThere(names.map((name) => join(folder, name, 'bin', 'python'))) };
}

/** Laid out once in the cache, as the home has its own. Throws toolchain-missing. */
async function laidOut(
  { cache }: Pick<HomeLayout, 'cache'>,
  {
    folder,
    python,
    env,
  }: { readonly folder: string; readonly python: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const facts = await pythonFacts(python, cleanEnvironment(env));
  if (facts === null) {
    throw new WorkbenchError('toolchain-missing', 'The Python of the environment does not run', {
      where: python,
      remedy: 'Recreate the environment, then try again.',
    });
  }
  const place = join(cache, 'environments', hashValue([folder, facts]).slice(0, 16));
  if (await exists(join(place, 'library-path'))) return place;
  const fresh = `${place}-${randomBytes(4).toString('hex')}`;
  try {
    await makeFolder(fresh);
    await layOutTriton(fresh, {
      ...{ facts, venv: folder, env },
      remedy: 'Create the environment with a Python that this nvidia-pytriton supports.',
    });
    await rename(fresh, place);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process may have been quicker.
    if (!(await exists(join(place, 'library-path')))) throw error;
  }
  return place;
}

/** A Python environment: with nvidia-pytriton another Triton, else other packages for the models. */
async function ofPython(layout: HomeLayout, folder: string, env: NodeJS.ProcessEnv): Promise<Parts | null> {
  const [python, library] = [await firstThere([join(folder, 'bin', 'python')]), await libraryOf(folder)];
  if (python === null || library === undefined) return null;
  const packages = join(folder, 'lib', library, 'site-packages');
  if (await exists(serverIn(join(packages, 'pytriton', 'tritonserver')))) {
    return { triton: await laidOut(layout, { folder, python, env }), python };
  }
  const own = await libraryOf(dirname(dirname(layout.python)));
  if (own === library) return { triton: null, python };
  throw new WorkbenchError(
    'combination-unsupported',
    `The environment has ${library}, and the Python backend of the home loads ${own ?? 'another one'}`,
    { where: folder, remedy: 'Create the environment with the same version of Python.' },
  );
}

async function libraryPathOf(triton: string): Promise<readonly string[]> {
  const text = await readFile(join(triton, 'library-path'), 'utf8').catch(() => join(triton, 'lib'));
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Flags of a Triton by its own help, without dashes; null: it does not say. */
async function flagsOf(
  program: string,
  libraryPath: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string> | null> {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  const ended = await exec({
    argv: [program, '--help'],
    ...{ cwd: '/', onStdoutLine: add, onStderrLine: add },
    env: { ...cleanEnvironment(env), LD_LIBRARY_PATH: libraryPath.join(':') },
  }).catch(() => null);
  const flags = lines.flatMap((line) => /^\s*(?:-\w,\s*)?--([a-z][\w-]*)/.exec(line)?.[1] ?? []);
  return ended === null || flags.length === 0 ? null : new Set(flags);
}

/**
 * Programs and packages of a serving environment; what it lacks is that of the home. Throws toolchain-missing,
 * combination-unsupported, and input-invalid for a folder that is none.
 */
export async function environmentToolchain(
  layout: HomeLayout,
  environment: ServingEnvironment,
  env: NodeJS.ProcessEnv,
): Promise<LocalToolchain> {
  const { folder, framework } = environment;
  const found = (await withTriton(environment)) ?? (await ofPython(layout, folder, env));
  if (found === null) {
    throw new WorkbenchError('input-invalid', `${basename(folder)} is not a serving environment`, {
      where: folder,
      remedy:
        'Name another workbench home, a folder with bin/tritonserver and backends, or a Python environment (venv).',
    });
  }
  const { triton, python } = found;
  const own = framework === 'tf' ? layout.tensorflow : layout.python;
  const home = await readLocalToolchain(layout, python ?? own);
  if (triton === null) return home;
  const libraryPath = await libraryPathOf(triton);
  const program = serverIn(triton);
  const knows = await flagsOf(program, libraryPath, env);
  return { ...home, ...{ program, libraryPath, knows }, backends: join(triton, 'backends') };
}

type Programs = Pick<HomeLayout, 'tritonServer' | 'tritonBackends'>;

/** What a preview shows before anything is laid out: a Triton of the folder, else that of the home. */
export function plannedPrograms(home: Programs, folder: string | undefined): Programs {
  const own = [`${folder ?? ''}/triton`, folder ?? ''].find((triton) => existsSync(serverIn(triton)));
  if (folder === undefined || own === undefined) return home;
  return { tritonServer: serverIn(own), tritonBackends: join(own, 'backends') };
}

/** As {@link environmentToolchain}; without an environment that of the home. @param python runs the models' code */
export const toolchainOf = (
  layout: HomeLayout,
  {
    environment,
    python,
  }: {
    readonly environment?: ServingEnvironment | undefined;
    readonly python?: string | undefined;
  },
  env: NodeJS.ProcessEnv,
): Promise<LocalToolchain> =>
  environment === undefined
    ? readLocalToolchain(layout, python)
    : environmentToolchain(layout, environment, env);

/** Packages that execute models, and Triton's own. */
const serving = [
  'nvidia_pytriton',
  'onnxruntime',
  'onnxruntime_gpu',
  'torch',
  'tensorflow',
  'tensorflow_cpu',
  'numpy',
];

export interface PackageChange {
  readonly name: string;
  /** null: not installed. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Packages that two toolchains have in other versions; first those that the second lacks. */
export async function packageChanges(
  from: Pick<LocalToolchain, 'pythonBin' | 'program'>,
  to: Pick<LocalToolchain, 'pythonBin' | 'program'>,
): Promise<readonly PackageChange[]> {
  const [before, after] = await Promise.all(
    [from, to].map(({ pythonBin }) => visibleVersions(dirname(pythonBin))),
  );
  return serving
    .filter((name) => name !== 'nvidia_pytriton' || from.program !== to.program)
    .flatMap((name) => {
      const [one, other] = [before?.get(name) ?? null, after?.get(name) ?? null];
      return one === other ? [] : [{ name, from: one, to: other }];
    })
    .toSorted((one, other) => Number(other.to === null) - Number(one.to === null));
}
