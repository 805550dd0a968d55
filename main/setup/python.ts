import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { componentFacts, type OnDemandId } from '../contract/setup';
import type { HomeLayout } from '../platform/layout';
import type { Component, SetupContext } from './component';
import {
  createUvProgress,
  installFailure,
  runInstaller,
  type SetupListener,
  tryInstaller,
} from './installer';
import { installedVersions, pinDifferences } from './pinned';
import { hashParts, homeOf, readText } from './stamps';
import { findInterpreter } from './uv';

export const venvOf = (layout: Pick<HomeLayout, 'python'>): string => dirname(dirname(layout.python));

/** The lock of an environment's packages: every one with the hashes of its files, except PyTorch and what it brings. */
const lockOf = (resources: string, name: string): string => join(resources, 'requirements', 'locked', name);

/** Independent of the interpreter. */
export async function pythonStamp({ layout, resources }: Pick<SetupContext, 'layout' | 'resources'>) {
  const requirements = await readFile(join(resources, 'requirements', 'runtime.txt'), 'utf8');
  const locked = await readFile(lockOf(resources, 'runtime.txt'), 'utf8');
  return hashParts('python 2', await homeOf(venvOf(layout)), requirements, locked);
}

/** null if not stated. */
const interpreterVersion = async (venv: string): Promise<string | null> =>
  /^version(?:_info)? = (\d+\.\d+\.\d+)/m.exec((await readText(join(venv, 'pyvenv.cfg'))) ?? '')?.[1] ?? null;

/** Stamp with Python's minor version, which names the package folder and the libpython of Triton's stub. */
export async function pythonBaseStamp(context: Pick<SetupContext, 'layout' | 'resources'>) {
  const version = (await interpreterVersion(venvOf(context.layout))) ?? '';
  return hashParts(await pythonStamp(context), version.split('.').slice(0, 2).join('.'));
}

/** null if not installed. */
export async function packageVersion(venv: string, name: string): Promise<string | null> {
  return (await installedVersions(venv)).get(name) ?? null;
}

/** Files of requirements, tried in this order until an index has the packages. */
export interface TorchChoices {
  /** Builds without the CUDA libraries, 2 GB less. */
  readonly cpu: string;
  /** The build that the index of the user ranks highest. */
  readonly any: string;
  /** The lock of what PyPI's build brings; the build of another index may need other versions. */
  readonly cuda: string;
}

interface Environment {
  /** The interpreter that it is made with. */
  readonly interpreter: string;
  /** Requirements with a hash for each, complete: nothing is resolved. */
  readonly locked: string;
  /** PyTorch is not in the lock, because its index is the user's choice; null: not needed. */
  readonly torch: TorchChoices | null;
  /** Environment in the home whose packages it sees beside its own; absent: none. */
  readonly above?: string;
  /** Python code that imports the packages, as verification. */
  readonly imports: string;
  readonly what: string;
}

/** Never symlinks, because a repair empties uv's cache; uv copies across disks. */
export const linkMode = '--link-mode=hardlink';

const bigTorch = 'No index has the CPU build of PyTorch: downloading the default build (2.4 GiB more)';

type Attempt = readonly [text: string, args: readonly string[]];

const torchAttempts = ({ cpu, any, cuda }: TorchChoices): readonly Attempt[] => [
  ['Looking up PyTorch', ['--no-deps', '-r', cpu]],
  [bigTorch, ['--constraints', cuda, '-r', any]],
  [bigTorch, ['-r', any]],
];

/**
 * Python adds the folders that a .pth file names, behind its own. Relative, as the environment is made beside its place
 * and may be moved with the home.
 */
async function showPackagesOf(above: string, fresh: string): Promise<void> {
  const library = join(fresh, 'lib');
  const names = await readdir(library).catch(() => []);
  for (const python of names.filter((name) => /^python3\.\d+$/.test(name))) {
    const packages = (venv: string) => join(venv, 'lib', python, 'site-packages');
    const path = relative(packages(fresh), packages(above));
    await writeFile(join(packages(fresh), 'above.pth'), `${path}\n`);
  }
}

/** Relocatable environment, created beside its final place. Throws cancelled, disk-full, toolchain-missing. */
export async function makeEnvironment(
  fresh: string,
  { interpreter, locked, torch, above, imports, what }: Environment,
  context: SetupContext,
  listener: SetupListener,
): Promise<void> {
  const { program, env, cwd } = await context.uv();
  const { log } = context;
  const base = { env, cwd, what, log };
  const venv = ['venv', '--relocatable', '--no-project', '--python', interpreter, fresh];
  await runInstaller({ ...base, argv: [program, ...venv] }, listener);
  const python = join(fresh, 'bin', 'python');
  if (above !== undefined) await showPackagesOf(above, fresh);
  const install = [program, 'pip', 'install', linkMode, '--python', python] as const;
  const parts = torch === null ? 1 : 2;
  const showing = (part: number) => {
    const progress = createUvProgress();
    return (line: string) => {
      const shown = progress(line);
      if (shown === null) return;
      const { fraction, text } = shown;
      listener.onProgress(fraction === null ? null : (part + fraction) / parts, text);
    };
  };
  listener.onProgress(null, 'Looking up the packages');
  await runInstaller(
    {
      ...base,
      argv: [...install, '--require-hashes', '--no-deps', '-r', locked],
      // Constraints lack hashes, which are required here.
      env: { ...env, UV_CONSTRAINT: '' },
      onLine: showing(0),
    },
    listener,
  );
  const attempts = torch === null ? [] : torchAttempts(torch);
  for (const [index, [text, args]] of attempts.entries()) {
    listener.onProgress(null, text);
    const ended = await tryInstaller({ ...base, argv: [...install, ...args], onLine: showing(1) }, listener);
    if (ended.exitCode === 0) break;
    const isLast = index === attempts.length - 1;
    if (isLast || !ended.lines.some((line) => line.includes('No solution found')))
      throw installFailure(what, ended.lines);
  }
  await runInstaller({ ...base, argv: [python, '-I', '-c', imports] }, listener);
}

const imports = 'import torch, onnxruntime, onnx, numpy, PIL, tritonclient.grpc, tritonclient.http';

const torchLines = (requirements: string): readonly string[] => requirements.match(/^torch==.*$/gm) ?? [];

/** Writes the requirements of PyTorch into a folder: of its CPU build, and as they are. */
async function torchChoices(requirements: string, folder: string, cuda: string): Promise<TorchChoices> {
  const lines = torchLines(await readFile(requirements, 'utf8'));
  const [cpu, any] = [join(folder, 'cpu-torch.txt'), join(folder, 'torch.txt')];
  await writeFile(cpu, `${lines.map((line) => line.replace(/^(torch==[\d.]+)/, '$1+cpu')).join('\n')}\n`);
  await writeFile(any, `${lines.join('\n')}\n`);
  return { cpu, any, cuda };
}

export const pythonComponent: Component = {
  id: 'python',
  folder: venvOf,
  files: (layout) => [layout.python],
  stamp: pythonStamp,
  version: interpreterVersion,
  differences: async ({ layout, resources }) => {
    const venv = venvOf(layout);
    const requirements = join(resources, 'requirements', 'runtime.txt');
    return pinDifferences(venv, requirements, (await interpreterVersion(venv)) ?? '');
  },
  make: async (fresh, context, listener) => {
    const uv = await context.uv();
    const interpreter = await findInterpreter(uv, context, listener);
    const requirements = join(context.resources, 'requirements', 'runtime.txt');
    await makeEnvironment(
      fresh,
      {
        interpreter: interpreter.executable,
        locked: lockOf(context.resources, 'runtime.txt'),
        torch: await torchChoices(requirements, uv.cwd, lockOf(context.resources, 'cuda.txt')),
        imports,
        what: 'The Python environment',
      },
      context,
      listener,
    );
  },
};

const tensorflowImports =
  'import tensorflow, tf2onnx, onnx, onnxruntime, pyarrow.parquet, tritonclient.grpc, tritonclient.http';

/** Made with the Python of the toolkit's environment, of a lock of its own. */
function secondComponent(
  id: OnDemandId,
  made: {
    /** Package whose version the component has. */
    readonly main: string;
    /** Sees the packages of the toolkit's environment, PyTorch with them. */
    readonly onTop: boolean;
    readonly imports: string;
  },
): Component {
  const requirements = ({ resources }: Pick<SetupContext, 'resources'>) =>
    join(resources, 'requirements', `${id}.txt`);
  const venv = (layout: HomeLayout) => dirname(dirname(layout[id]));
  return {
    id,
    folder: venv,
    files: (layout) => [layout[id]],
    // Triton's stub requires the same Python.
    stamp: async (context) => {
      const base = await readText(join(venvOf(context.layout), 'pyvenv.cfg'));
      if (base === null) return null;
      const pinned = await readFile(requirements(context), 'utf8');
      const locked = await readFile(lockOf(context.resources, `${id}.txt`), 'utf8');
      return hashParts(`${id} 2`, base, pinned, locked, ...(made.onTop ? [await pythonStamp(context)] : []));
    },
    version: (folder) => packageVersion(folder, made.main),
    differences: async (context) => {
      const folder = venv(context.layout);
      return pinDifferences(folder, requirements(context), (await interpreterVersion(folder)) ?? '');
    },
    make: (fresh, context, listener) =>
      makeEnvironment(
        fresh,
        {
          interpreter: context.layout.python,
          locked: lockOf(context.resources, `${id}.txt`),
          torch: null,
          ...(made.onTop ? { above: venvOf(context.layout) } : {}),
          imports: made.imports,
          what: componentFacts[id].title,
        },
        context,
        listener,
      ),
  };
}

/** Separate from PyTorch, because their pins conflict. */
export const tensorflowComponent = secondComponent('tensorflow', {
  main: 'tensorflow_cpu',
  onTop: false,
  imports: tensorflowImports,
});

/** Separate, because only Hugging Face folders need it. */
export const transformersComponent = secondComponent('transformers', {
  main: 'transformers',
  onTop: true,
  imports:
    'import torch, onnx, transformers, tokenizers, safetensors.torch; transformers.AutoConfig.for_model("bert")',
});

/** Separate, because only files of trees and pipelines need it. */
export const treesComponent = secondComponent('trees', {
  main: 'scikit_learn',
  onTop: true,
  imports: 'import torch, onnx, onnxruntime, numpy, xgboost, lightgbm, sklearn.pipeline, skl2onnx, skops.io',
});
