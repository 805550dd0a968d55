import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import type { ToolId } from '../../contract/machine';
import { exists, writeFileAtomic } from '../../platform/files';
import type { HomeLayout } from '../../platform/layout';

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
