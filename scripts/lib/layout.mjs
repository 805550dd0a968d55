import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The clone this script stands in. */
export const repoRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Where things stand in the workbench home. The same names as main/platform/layout.ts, stated again
 * because this runs before anything is installed and cannot read TypeScript: change both together.
 */
export function defaultHome(env = process.env) {
  const own = env.TRITON_WORKBENCH_HOME;
  if (own) return resolve(own);
  // The base directories of XDG are absolute; others are to be ignored.
  const data = env.XDG_DATA_HOME ?? '';
  return join(isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'triton-workbench');
}

export function homeLayout(home) {
  return {
    home,
    venv: join(home, 'python'),
    python: join(home, 'python', 'bin', 'python'),
    tensorflowFolder: join(home, 'tensorflow'),
    tensorflow: join(home, 'tensorflow', 'bin', 'python'),
    triton: join(home, 'triton'),
    tritonServer: join(home, 'triton', 'bin', 'tritonserver'),
    pythonBackend: join(home, 'triton', 'backends', 'python'),
    libraryPathFile: join(home, 'triton', 'library-path'),
    perfAnalyzerFolder: join(home, 'perf-analyzer'),
    perfAnalyzer: join(home, 'perf-analyzer', 'bin', 'perf_analyzer'),
    perfAnalyzerLibraries: join(home, 'perf-analyzer', 'lib'),
    electronFolder: join(home, 'electron'),
    electron: join(home, 'electron', 'electron'),
    logs: join(home, 'setup-logs'),
  };
}
