import { readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import type { ToolId } from '../../contract/machine';
import { exists, writeFileAtomic } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';
import { pythonVariables } from '../../platform/process';
import { engineIdVariable, sharedMemoryPrefix } from './engine-record';

/** The parts of the workbench home that the local engine runs on. */
export interface LocalToolchain {
  readonly program: string;
  readonly backends: string;
  readonly pythonBin: string;
  readonly sitePackages: string;
  readonly libraryPath: readonly string[];
}

/** The tools of the home that are not there, in the order of need. */
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

/**
 * Throws toolchain-missing naming the first file that is not there.
 * @param python runs the models of the Python backend; the workbench's own when absent.
 */
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
  const paths = (await readFile(layout.libraryPathFile, 'utf8')).split('\n').map((line) => line.trim());
  return {
    program: layout.tritonServer,
    backends: layout.tritonBackends,
    pythonBin,
    sitePackages: join(libraries, version, 'site-packages'),
    libraryPath: paths.filter((path) => path !== ''),
  };
}

// The program has no option that prints its version: what it said when it last ran is kept, for this very file.
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
  /** null: the server has a place of its own for them. */
  readonly backends: string | null;
  readonly repository: string;
  readonly engineId: string;
  readonly httpPort: number | undefined;
  readonly grpcPort: number | undefined;
  readonly metricsPort?: number | undefined;
  /** Every model of the repository is loaded at the start. */
  readonly loadAll?: boolean;
}

/**
 * Port 0 lets the kernel choose, without a moment in which another process could take the port. Triton refuses equal
 * address:port pairs by their text before it binds, so 127.0.0.1 is spelled in three ways; all three are loopback.
 */
const loopback = { http: 'ipv4:127.0.0.1', grpc: '127.0.0.1', metrics: '127.1' } as const;

export function serverArguments(input: ServerCommandInput): [string, ...string[]] {
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
    // The configuration is written whole: nothing is to be added to it, and a Python stub less is started for each model.
    '--disable-auto-complete-config',
    // Names of shared memory of our own, so that leftovers can be told from other people's.
    `--backend-config=python,shm-region-prefix-name=${sharedMemoryPrefix(input.engineId)}`,
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
}

/**
 * All that the server inherits. Triton, its Python stubs and with them the code of every model read their environment:
 * keys of registries and clouds do not belong there, nor what makes a loader run something else (LD_*, PYTHON*,
 * CUDA_INJECTION64_PATH).
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

/** OPENBLAS_*: which kernels are computed with, as some processors need it said. */
const isInherited = (name: string): boolean =>
  inherited.has(name) || name.startsWith('LC_') || name.startsWith('OPENBLAS_');

/** What a server in a container is given, which has libraries and Python of its own. */
export function containerEnvironment(env: NodeJS.ProcessEnv, engineId: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => isInherited(name))),
    // Stubs are killed at the end of a run: half-written byte code must not stay beside the model.
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
  };
}
