import { chmod, copyFile, cp, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { exec } from '../platform/exec';
import { exists, makeFolder } from '../platform/files';
import type { Component, SetupContext } from './component';
import { type PythonFacts, pythonFacts } from './interpreter';
import { cleanEnvironment } from './package-index';
import { packageVersion, pythonBaseStamp, venvOf } from './python';
import { hashParts, homeOf } from './stamps';

const folderOf: Component['folder'] = ({ tritonServer }) => dirname(dirname(tritonServer));

/** Throws toolchain-missing if it does not run. */
export async function environmentFacts({ layout, env }: SetupContext): Promise<PythonFacts> {
  const facts = await pythonFacts(layout.python, cleanEnvironment(env));
  if (facts !== null) return facts;
  throw new WorkbenchError('toolchain-missing', 'The Python environment of the workbench does not run', {
    where: layout.python,
    remedy: 'Repair the Python environment, then try again.',
  });
}

/** Missing shared libraries; empty without `ldd`. */
async function missingLibraries(
  programs: readonly string[],
  folders: readonly string[],
  env: NodeJS.ProcessEnv,
) {
  const lines: string[] = [];
  const onStdoutLine = (line: string) => void lines.push(line);
  const ended = await exec({
    argv: ['ldd', ...programs],
    env: { ...cleanEnvironment(env), LD_LIBRARY_PATH: folders.join(':') },
    cwd: '/',
    onStdoutLine,
  }).catch(() => null);
  if (ended === null) return [];
  const absent = lines.map((line) => /^\s*(\S+) => not found/.exec(line)?.[1]);
  return [...new Set(absent.filter((name) => name !== undefined))];
}

interface LaidOut {
  readonly facts: PythonFacts;
  /** Its folder, for messages. */
  readonly venv: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where it has no Python backend for this Python. */
  readonly remedy: string;
}

/**
 * The Triton of an environment with nvidia-pytriton, below a folder: links to the server, and copies of its backends with the
 * Python stub of the environment. Throws toolchain-missing.
 */
export async function layOutTriton(fresh: string, { facts, venv, env, remedy }: LaidOut): Promise<void> {
  const server = join(facts.sitePackages, 'pytriton', 'tritonserver');
  const stub = join(server, 'python_backend_stubs', facts.version, 'triton_python_backend_stub');
  if (!(await exists(stub))) {
    const message = `nvidia-pytriton has no Python backend for Python ${facts.version}`;
    throw new WorkbenchError('toolchain-missing', message, { where: venv, remedy });
  }
  await makeFolder(join(fresh, 'bin'));
  // The binary finds libraries beside its real path.
  await symlink(join(server, 'bin', 'tritonserver'), join(fresh, 'bin', 'tritonserver'));
  await cp(join(server, 'backends'), join(fresh, 'backends'), {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__'),
  });
  const stubCopy = join(fresh, 'backends', 'python', 'triton_python_backend_stub');
  await copyFile(stub, stubCopy);
  await chmod(stubCopy, 0o755);
  const own = join(facts.sitePackages, 'nvidia_pytriton.libs');
  const folders = [own, facts.libraryFolder].filter((folder) => folder !== null);
  await writeFile(join(fresh, 'library-path'), `${folders.join('\n')}\n`);
  const absent = await missingLibraries([join(fresh, 'bin', 'tritonserver'), stubCopy], folders, env);
  if (absent.length > 0) {
    throw new WorkbenchError(
      'toolchain-missing',
      `Triton cannot start here: ${absent.join(', ')} is not on this machine`,
      { remedy: 'Install the package of this system that contains it, and try again.' },
    );
  }
}

/** Links to the server in nvidia-pytriton. The Python stub is chosen by the environment's Python version. */
export const tritonComponent: Component = {
  id: 'triton',
  folder: folderOf,
  files: ({ tritonServer, tritonBackends, libraryPathFile, python }) => [
    tritonServer,
    join(tritonBackends, 'python', 'triton_python_backend_stub'),
    libraryPathFile,
    python,
  ],
  stamp: async (context) => {
    const { layout } = context;
    if (!(await exists(layout.python))) return null;
    return hashParts('triton 2', await homeOf(folderOf(layout)), await pythonBaseStamp(context));
  },
  version: async (folder) => {
    const server = await packageVersion(join(dirname(folder), 'python'), 'nvidia_pytriton');
    return server === null ? null : `nvidia-pytriton ${server}`;
  },
  // Part of the Python environment, which reports differences.
  differences: () => Promise.resolve([]),
  make: async (fresh, context) =>
    layOutTriton(fresh, {
      facts: await environmentFacts(context),
      venv: venvOf(context.layout),
      env: context.env,
      remedy: 'Install Python 3.11 or 3.12, then repair the Python environment.',
    }),
};
