import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './say.mjs';

/** The clone this script stands in. */
export const repoRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Where things stand in the workbench home. The same names as main/platform/layout.ts, stated again
 * because this runs before anything is installed and cannot read TypeScript: change both together.
 */
export function defaultHome(env = process.env) {
  const own = env.TRITON_WORKBENCH_HOME;
  if (own) return resolve(own);
  const moved = movedHome(env);
  if (moved !== null) return moved;
  // The base directories of XDG are absolute; others are to be ignored.
  const data = env.XDG_DATA_HOME ?? '';
  return join(isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'triton-workbench');
}

/** Where the Settings page moved the home to; null: nowhere. Throws SetupError where that cannot be used. */
function movedHome(env) {
  const config = env.XDG_CONFIG_HOME ?? '';
  const file = join(
    isAbsolute(config) ? config : join(homedir(), '.config'),
    'triton-workbench',
    'home.json',
  );
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw new SetupError(
      `${file} cannot be read: ${error.message}`,
      'make the file readable for your user, or remove it to start with the default home',
    );
  }
  let home;
  try {
    home = JSON.parse(text).home;
  } catch {
    home = undefined;
  }
  if (typeof home === 'string' && isAbsolute(home) && existsSync(home)) return home;
  throw new SetupError(
    `${file} does not name a folder that exists`,
    'mount the disk of the workbench home, or remove this file to start with the default home',
  );
}

export function homeLayout(home) {
  return {
    home,
    venv: join(home, 'python'),
    python: join(home, 'python', 'bin', 'python'),
    tensorflowFolder: join(home, 'tensorflow'),
    tensorflow: join(home, 'tensorflow', 'bin', 'python'),
    transformersFolder: join(home, 'transformers'),
    transformers: join(home, 'transformers', 'bin', 'python'),
    treesFolder: join(home, 'trees'),
    trees: join(home, 'trees', 'bin', 'python'),
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
