import { readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import type { ToolId } from '../../contract/machine';
import { present } from '../../contract/trees';
import { exists, writeFileAtomic } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { pythonVariables } from '../../platform/process';
import { traceOption } from '../server-traces';
import { engineIdVariable, sharedMemoryPrefix } from './engine-record';

/** Parts of the home that the local engine needs. */
export interface LocalToolchain {
  readonly program: string;
  readonly backends: string;
  readonly pythonBin: string;
  /** Folders of packages, as PYTHONPATH takes them. */
  readonly sitePackages: string;
  readonly libraryPath: readonly string[];
  /** Flags of another Triton, without dashes; absent or null: those of the home's. */
  readonly knows?: ReadonlySet<string> | null;
}

/** Missing tools, in the order of need. */
export async function missingTools(layout: HomeLayout): Promise<readonly ToolId[]> {
  const [python, triton, analyzer] = await Promise.all([
    exists(layout.python),
    missingFile(layout),
    exists(layout.perfAnalyzer),
  ]);
  return [
    ...(python ? [] : ['python' as const]),
    ...(triton === null || triton === layout.python ? [] : ['triton' as const]),
    ...(analyzer ? [] : ['perf-analyzer' as const]),
  ];
}

async function missingFile(layout: HomeLayout): Promise<string | null> {
  const needed = [
    layout.tritonServer,
    join(layout.tritonBackends, 'python', 'triton_python_backend_stub'),
    layout.libraryPathFile,
    layout.python,
  ];
  for (const path of needed) if (!(await exists(path))) return path;
  return null;
}

/** Packages of transformers, which need those of the workbench's own Python beside them; empty where not installed. */
async function transformersPackages(layout: HomeLayout, python: string, version: string): Promise<string[]> {
  const packages = join(dirname(dirname(layout.transformers)), 'lib', version, 'site-packages');
  return python === layout.python && (await exists(packages)) ? [packages] : [];
}

/** Throws toolchain-missing. @param python runs Python backend models; defaults to the workbench's own */
export async function readLocalToolchain(
  layout: HomeLayout,
  python: string = layout.python,
): Promise<LocalToolchain> {
  const missing = await missingFile(layout);
  if (missing !== null) {
    throw new WorkbenchError('toolchain-missing', `The local Triton is not installed: ${missing} is missing`);
  }
  const pythonBin = dirname(python);
  const libraries = join(dirname(pythonBin), 'lib');
  const versions = (await readdir(libraries)).filter((name) => /^python3\.\d+$/.test(name));
  const [version] = versions;
  if (version === undefined) {
    throw new WorkbenchError('toolchain-missing', `No Python packages are installed under ${libraries}`);
  }
  const packages = [
    join(libraries, version, 'site-packages'),
    ...(await transformersPackages(layout, python, version)),
  ];
  const paths = (await readFile(layout.libraryPathFile, 'utf8')).split('\n').map((line) => line.trim());
  return {
    program: layout.tritonServer,
    backends: layout.tritonBackends,
    pythonBin,
    sitePackages: packages.join(delimiter),
    libraryPath: paths.filter((path) => path !== ''),
  };
}

// The program cannot print its version, so the one it last logged is kept for this file.
const rememberedSchema = z.object({ bytes: z.number(), modifiedMs: z.number(), version: z.string() });

const pathOf = (layout: HomeLayout) => join(layout.cache, 'local-triton.json');

export async function rememberTritonVersion(layout: HomeLayout, version: string): Promise<void> {
  const { size, mtimeMs } = await stat(layout.tritonServer);
  const remembered = { bytes: size, modifiedMs: mtimeMs, version };
  await writeFileAtomic(pathOf(layout), `${JSON.stringify(remembered)}\n`);
}

/** null before the first start. */
export async function rememberedTritonVersion(layout: HomeLayout): Promise<string | null> {
  try {
    const { size, mtimeMs } = await stat(layout.tritonServer);
    const remembered = rememberedSchema.parse(JSON.parse(await readFile(pathOf(layout), 'utf8')));
    return remembered.bytes === size && remembered.modifiedMs === mtimeMs ? remembered.version : null;
  } catch {
    return null;
  }
}

interface ServerCommandInput {
  readonly program: string;
  /** null: the server's default. */
  readonly backends: string | null;
  readonly repository: string;
  readonly engineId: string;
  readonly httpPort: number | undefined;
  readonly grpcPort: number | undefined;
  readonly metricsPort?: number | undefined;
  readonly loadAll?: boolean;
  /** See `StartServerInput.asIs`. */
  readonly asIs?: boolean | undefined;
  /** See {@link LocalToolchain.knows}. */
  readonly knows?: LocalToolchain['knows'] | undefined;
  /** Absent: it can trace nothing. */
  readonly traceFile?: string | undefined;
}

/** Port 0: no race. Triton rejects equal address:port texts, so loopback is spelled in three ways. */
const loopback = { http: 'ipv4:127.0.0.1', grpc: '127.0.0.1', metrics: '127.1' } as const;

/** An older Triton starts without them, and does otherwise what it did then. */
const dispensable: ReadonlySet<string> = new Set([
  'disable-auto-complete-config',
  'exit-timeout-secs',
  'trace-config',
]);

const flagOf = (argument: string): string => /^--([\w-]+)/.exec(argument)?.[1] ?? '';

/** Those of our flags that a Triton does not know, without dashes. Throws combination-unsupported where it needs them. */
function unknownFlags(args: readonly string[], knows: LocalToolchain['knows']): ReadonlySet<string> {
  const unknown = new Set(args.map(flagOf).filter((flag) => knows?.has(flag) === false));
  const needed = [...unknown].filter((flag) => !dispensable.has(flag));
  if (needed.length === 0) return unknown;
  throw new WorkbenchError(
    'combination-unsupported',
    `This Triton has no ${needed.map((flag) => `--${flag}`).join(', ')}`,
    { where: 'engine.environment', remedy: 'Choose a later Triton: 2.21 (release 22.04) or newer.' },
  );
}

/** Those that any start has. */
const usualFlags = (): readonly string[] =>
  allArguments({
    ...{ program: '', backends: '', repository: '', engineId: '' },
    ...{ httpPort: undefined, grpcPort: undefined, loadAll: true },
  }).slice(1);

/** Flags that a start goes without, with dashes. Throws combination-unsupported where it needs one. */
export const flagsGone = (knows: LocalToolchain['knows']): readonly string[] =>
  [...unknownFlags(usualFlags(), knows)].map((flag) => `--${flag}`);

/** Throws combination-unsupported for a Triton that is too old. */
export function serverArguments(input: ServerCommandInput): [string, ...string[]] {
  const [program, ...args] = allArguments(input);
  const unknown = unknownFlags(args, input.knows);
  return [program, ...args.filter((argument) => !unknown.has(flagOf(argument)))];
}

function allArguments(input: ServerCommandInput): [string, ...string[]] {
  return [
    input.program,
    `--model-repository=${input.repository}`,
    ...(input.backends === null ? [] : [`--backend-directory=${input.backends}`]),
    '--model-control-mode=explicit',
    `--http-address=${loopback.http}`,
    `--http-port=${input.httpPort ?? 0}`,
    `--grpc-address=${loopback.grpc}`,
    `--grpc-port=${input.grpcPort ?? 0}`,
    `--metrics-address=${loopback.metrics}`,
    `--metrics-port=${input.metricsPort ?? 0}`,
    '--allow-gpu-metrics=false',
    // Ours is complete; this saves one Python stub per model.
    ...(input.asIs === true ? [] : ['--disable-auto-complete-config']),
    // Own prefix, so that leftovers are recognized.
    `--backend-config=python,shm-region-prefix-name=${sharedMemoryPrefix(input.engineId)}`,
    ...(input.traceFile === undefined ? [] : [traceOption(input.traceFile)]),
    ...(input.loadAll === true ? ['--load-model=*'] : []),
    '--exit-timeout-secs=5',
  ];
}

interface ServerEnvironmentInput {
  readonly env: NodeJS.ProcessEnv;
  readonly engineId: string;
  readonly libraryPath: readonly string[];
  /** `bin` of the virtual environment. */
  readonly pythonBin: string;
  readonly sitePackages: string;
  /** For backends of `resources/serving`, which Triton does not tell it. */
  readonly repository?: string | undefined;
}

/**
 * Allowlist of variables for servers. Model code can read the environment, so secrets of registries and clouds stay
 * out, as do LD_*, PYTHON* and CUDA_INJECTION64_PATH, which make loaders run other code.
 */
const inherited: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'LANG',
  'LANGUAGE',
  'TZ',
  'CUDA_VISIBLE_DEVICES',
  'CUDA_DEVICE_ORDER',
  'CUDA_CACHE_PATH',
  'CUDA_CACHE_MAXSIZE',
  'CUDA_CACHE_DISABLE',
  'CUDA_MODULE_LOADING',
  'CUDA_MPS_PIPE_DIRECTORY',
  'CUDA_MPS_LOG_DIRECTORY',
  'NVIDIA_VISIBLE_DEVICES',
  'NVIDIA_DRIVER_CAPABILITIES',
  'OMP_NUM_THREADS',
  'MKL_NUM_THREADS',
]);

/** OPENBLAS_* selects kernels, which some processors need. */
const isInherited = (name: string): boolean =>
  inherited.has(name) || name.startsWith('LC_') || name.startsWith('OPENBLAS_');

/** A container has its own libraries and Python. */
export function containerEnvironment(env: NodeJS.ProcessEnv, engineId: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => isInherited(name))),
    // Stubs are killed at the end of a run, and must not leave partial byte code beside the model.
    ...pythonVariables,
    [engineIdVariable]: engineId,
  };
}

export function serverEnvironment(input: ServerEnvironmentInput): NodeJS.ProcessEnv {
  return {
    ...containerEnvironment(input.env, input.engineId),
    PATH: [input.pythonBin, input.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    LD_LIBRARY_PATH: input.libraryPath.join(delimiter),
    PYTHONPATH: input.sitePackages,
    PYTHONNOUSERSITE: '1',
    ...present({ TRITON_WORKBENCH_REPOSITORY: input.repository }),
  };
}
