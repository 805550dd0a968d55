import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { present } from '../contract/trees';

/** Paths in the home. `scripts/lib/layout.mjs` repeats them, because the bootstrap cannot read TypeScript. */
export interface HomeLayout {
  readonly home: string;
  /** Virtual environment of the toolkit. */
  readonly python: string;
  /** Environment with TensorFlow; installed on demand. */
  readonly tensorflow: string;
  /** The toolkit's environment with transformers beside it; installed on demand. */
  readonly transformers: string;
  /** The toolkit's environment with XGBoost, LightGBM and scikit-learn beside it; installed on demand. */
  readonly trees: string;
  /** `bin/tritonserver`, `backends/python/triton_python_backend_stub`, ... */
  readonly tritonServer: string;
  readonly tritonBackends: string;
  /** LD_LIBRARY_PATH of Triton and perf_analyzer, one folder per line. */
  readonly libraryPathFile: string;
  readonly perfAnalyzer: string;
  readonly perfAnalyzerLibraries: string;
  readonly electron: string;
  readonly runs: string;
  /** One folder per deployment. */
  readonly deployments: string;
  readonly cache: string;
  /** One record per engine process, for sweeping orphans. */
  readonly engines: string;
  /** Settings of window and CLI. */
  readonly settings: string;
  /** Log of the window's main process. */
  readonly logs: string;
  /** User-written defaults of CLI options. */
  readonly cliDefaults: string;
  /** One queue per device. */
  readonly devices: string;
  readonly trash: string;
  /** One folder per study. */
  readonly studies: string;
  readonly matrices: string;
  /** Logo and sections of reports. */
  readonly reportSettings: string;
  readonly recordings: string;
  /** Monitored servers and alert rules. */
  readonly monitor: string;
  readonly drafts: string;
  /** Hugging Face folders as repositories of pipelines. */
  readonly pipelines: string;
  /** Downloaded data sets and checkpoints, by preset. */
  readonly data: string;
  /** Trusted model contents. */
  readonly trusted: string;
  /** Secret for sealing records; created with the first run. */
  readonly runKey: string;
  /** Consent to paths, images and machines. */
  readonly approved: string;
  /** Last image of each reference. */
  readonly knownImages: string;
  readonly hosts: string;
  /** Models of the Hugging Face hub that are in its cache whole. */
  readonly hubModels: string;
  /** Named comparisons. */
  readonly comparisons: string;
  /** Job scripts and output. */
  readonly jobs: string;
  /** Home id in container labels; created on first use. */
  readonly instance: string;
}

/** XDG base directory; relative values are ignored. */
const baseFolder = (value: string | undefined, ...usual: readonly string[]): string =>
  value !== undefined && isAbsolute(value) ? value : join(homedir(), ...usual);

/** The user's files outside the home. */
export const configFolder = (env: NodeJS.ProcessEnv): string =>
  join(baseFolder(env['XDG_CONFIG_HOME'], '.config'), 'triton-workbench');

/** Defaults of the command line's options, in order; the first that exists is read. */
export const cliDefaultsFiles = (home: string, env: NodeJS.ProcessEnv): readonly string[] => [
  homeLayout(home).cliDefaults,
  join(configFolder(env), 'cli.yaml'),
];

/** Records the location of a moved home. */
export const homePointerFile = (env: NodeJS.ProcessEnv): string => join(configFolder(env), 'home.json');

export interface HomePointer {
  readonly home: string;
  /** Previous location until it is cleaned; files changed since `movedMs` stay. */
  readonly previous?: string | undefined;
  readonly movedMs?: number | undefined;
}

const isFolder = (value: unknown): value is string => typeof value === 'string' && isAbsolute(value);

/** Without zod, because this is read first. */
function homePointerOf(value: unknown): HomePointer {
  const { home, previous, movedMs } = value as Readonly<Record<string, unknown>>;
  if (!isFolder(home)) throw new Error('home must be an absolute path');
  if (previous !== undefined && !isFolder(previous)) throw new Error('previous must be an absolute path');
  if (movedMs !== undefined && typeof movedMs !== 'number') throw new Error('movedMs must be a number');
  return { home, ...present({ previous, movedMs }) };
}

/** null if not moved. Throws input-invalid for an invalid or unreadable file. */
export function readHomePointer(env: NodeJS.ProcessEnv): HomePointer | null {
  const file = homePointerFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new WorkbenchError(
      'input-invalid',
      'The file with the location of the workbench home cannot be read',
      {
        where: file,
        remedy: 'Make the file readable for your user, or remove it to use the default home.',
        cause,
      },
    );
  }
  try {
    return homePointerOf(JSON.parse(text));
  } catch (cause) {
    throw new WorkbenchError('input-invalid', 'The file with the location of the workbench home is damaged', {
      where: file,
      remedy: 'Write {"home": "/folder/of/the/home"} to it, or remove it to use the default home.',
      cause,
    });
  }
}

/** Default location. */
export function unmovedHome(env: NodeJS.ProcessEnv): string {
  return join(baseFolder(env['XDG_DATA_HOME'], '.local', 'share'), 'triton-workbench');
}

/** Variable, moved home, or default. Throws input-invalid for a damaged pointer or a missing folder (unmounted disk). */
export function defaultHome(env: NodeJS.ProcessEnv): string {
  const own = env['TRITON_WORKBENCH_HOME'];
  if (own !== undefined && own !== '') return resolve(own);
  const moved = readHomePointer(env);
  if (moved === null) return unmovedHome(env);
  if (existsSync(moved.home)) return moved.home;
  throw new WorkbenchError('input-invalid', `The workbench home ${moved.home} does not exist`, {
    where: homePointerFile(env),
    remedy: 'Mount its disk, or remove this file to start with the default home.',
  });
}

/** Tool folders, which contain absolute paths and are reinstalled after a move. */
export const toolFolders: readonly string[] = [
  'python',
  'tensorflow',
  'transformers',
  'trees',
  'triton',
  'perf-analyzer',
  'electron',
  'docker-base',
];

/** Whether the variable overrides the home; ignores a damaged pointer. */
export function isHomeFixed(home: string, env: NodeJS.ProcessEnv): boolean {
  try {
    return defaultHome({ ...env, TRITON_WORKBENCH_HOME: '' }) !== home;
  } catch {
    return true;
  }
}

export function homeLayout(home: string): HomeLayout {
  return {
    home,
    python: join(home, 'python', 'bin', 'python'),
    tensorflow: join(home, 'tensorflow', 'bin', 'python'),
    transformers: join(home, 'transformers', 'bin', 'python'),
    trees: join(home, 'trees', 'bin', 'python'),
    tritonServer: join(home, 'triton', 'bin', 'tritonserver'),
    tritonBackends: join(home, 'triton', 'backends'),
    libraryPathFile: join(home, 'triton', 'library-path'),
    perfAnalyzer: join(home, 'perf-analyzer', 'bin', 'perf_analyzer'),
    perfAnalyzerLibraries: join(home, 'perf-analyzer', 'lib'),
    electron: join(home, 'electron', 'electron'),
    runs: join(home, 'runs'),
    deployments: join(home, 'deployments'),
    cache: join(home, 'cache'),
    engines: join(home, 'engines'),
    settings: join(home, 'settings.json'),
    logs: join(home, 'logs'),
    cliDefaults: join(home, 'cli.yaml'),
    devices: join(home, 'devices'),
    trash: join(home, 'trash'),
    studies: join(home, 'studies'),
    matrices: join(home, 'matrices'),
    reportSettings: join(home, 'report-look.json'),
    recordings: join(home, 'recordings'),
    monitor: join(home, 'monitor.json'),
    drafts: join(home, 'drafts'),
    pipelines: join(home, 'pipelines'),
    data: join(home, 'data'),
    trusted: join(home, 'trusted.json'),
    runKey: join(home, 'run-key'),
    approved: join(home, 'approved.json'),
    knownImages: join(home, 'known-images.json'),
    hosts: join(home, 'hosts.json'),
    hubModels: join(home, 'hub.json'),
    comparisons: join(home, 'comparisons.json'),
    jobs: join(home, 'jobs'),
    instance: join(home, 'instance'),
  };
}

/** Packaged files that others read by path (Python, Docker, workers) are beside `app.asar`, which only Electron reads. */
export const readableFolder = (app: string): string => (app.endsWith('.asar') ? `${app}.unpacked` : app);

/** A file that the build of a package puts beside the archive; null in a clone. */
export const fileBesideApp = (resources: string, name: string): string | null =>
  basename(dirname(resources)) === 'app.asar.unpacked' ? join(dirname(dirname(resources)), name) : null;
