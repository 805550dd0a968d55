import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

/** Independent of the interpreter. */
export async function pythonStamp({ layout, resources }: Pick<SetupContext, 'layout' | 'resources'>) {
  const requirements = await readFile(join(resources, 'requirements', 'runtime.txt'), 'utf8');
  return hashParts('python 1', await homeOf(venvOf(layout)), requirements);
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

interface Environment {
  /** The interpreter that it is made with. */
  readonly interpreter: string;
  readonly requirements: string;
  /** Requirements replacing those of the same name; skipped if no index has them. */
  readonly preferred: string | null;
  /** Python code that imports the packages, as verification. */
  readonly imports: string;
  readonly what: string;
}

/** Never symlinks, because a repair empties uv's cache; uv copies across disks. */
export const linkMode = '--link-mode=hardlink';

/** Relocatable environment, created beside its final place. Throws cancelled, disk-full, toolchain-missing. */
export async function makeEnvironment(
  fresh: string,
  { interpreter, requirements, preferred, imports, what }: Environment,
  context: SetupContext,
  listener: SetupListener,
): Promise<void> {
  const { program, env, cwd } = await context.uv();
  const { log } = context;
  const base = { env, cwd, what, log };
  // pip downloads the images' wheels.
  const venv = ['venv', '--seed', '--relocatable', '--no-project', '--python', interpreter, fresh];
  await runInstaller({ ...base, argv: [program, ...venv] }, listener);
  const python = join(fresh, 'bin', 'python');
  const progress = createUvProgress();
  const onLine = (line: string) => {
    const shown = progress(line);
    if (shown !== null) listener.onProgress(shown.fraction, shown.text);
  };
  const install = [program, 'pip', 'install', linkMode, '--python', python, '-r', requirements] as const;
  listener.onProgress(null, 'Looking up the packages');
  const first = preferred === null ? [] : ['--overrides', preferred];
  const ended = await tryInstaller({ ...base, argv: [...install, ...first], onLine }, listener);
  if (ended.exitCode !== 0) {
    const noneHasIt = preferred !== null && ended.lines.some((line) => /No solution found/.test(line));
    if (!noneHasIt) throw installFailure(what, ended.lines);
    listener.onProgress(
      null,
      'No index has the CPU build of PyTorch: downloading the default build (2.4 GiB more)',
    );
    await runInstaller({ ...base, argv: [...install], onLine }, listener);
  }
  await runInstaller({ ...base, argv: [python, '-I', '-c', imports] }, listener);
}

const imports = 'import torch, onnxruntime, onnx, numpy, PIL, tritonclient.grpc, tritonclient.http';

/** torch without CUDA libraries, 2 GB less. */
export function cpuTorch(requirements: string): string {
  const lines = requirements.match(/^torch==.*$/gm) ?? [];
  return `${lines.map((line) => line.replace(/^(torch==[\d.]+)/, '$1+cpu')).join('\n')}\n`;
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
    const preferred = join(uv.cwd, 'cpu-torch.txt');
    await writeFile(preferred, cpuTorch(await readFile(requirements, 'utf8')));
    await makeEnvironment(
      fresh,
      {
        interpreter: interpreter.executable,
        requirements,
        preferred,
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

const requirementsOf = ({ resources }: Pick<SetupContext, 'resources'>): string =>
  join(resources, 'requirements', 'tensorflow.txt');

/** Separate from PyTorch, because their pins conflict. */
export const tensorflowComponent: Component = {
  id: 'tensorflow',
  folder: ({ tensorflow }) => dirname(dirname(tensorflow)),
  files: ({ tensorflow }) => [tensorflow],
  // Triton's stub requires the same Python.
  stamp: async (context) => {
    const base = await readText(join(venvOf(context.layout), 'pyvenv.cfg'));
    if (base === null) return null;
    const pinned = await readFile(requirementsOf(context), 'utf8');
    return createHash('sha256').update(`tensorflow 1\0${base}\0${pinned}`).digest('hex');
  },
  version: (folder) => packageVersion(folder, 'tensorflow_cpu'),
  differences: async (context) => {
    const venv = dirname(dirname(context.layout.tensorflow));
    return pinDifferences(venv, requirementsOf(context), (await interpreterVersion(venv)) ?? '');
  },
  make: (fresh, context, listener) =>
    makeEnvironment(
      fresh,
      {
        interpreter: context.layout.python,
        requirements: requirementsOf(context),
        preferred: null,
        imports: tensorflowImports,
        what: 'TensorFlow',
      },
      context,
      listener,
    ),
};
