import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { present } from '../contract/trees';

/**
 * Where things stand in the workbench home. `scripts/lib/layout.mjs` fills it and states the same names:
 * the bootstrap runs before anything is installed and cannot read TypeScript.
 */
export interface HomeLayout {
  readonly home: string;
  /** Python virtual environment with the toolkit's packages. */
  readonly python: string;
  /** Python of the environment with TensorFlow; installed by the first run that needs it. */
  readonly tensorflow: string;
  /** `bin/tritonserver`, `backends/python/triton_python_backend_stub`, ... */
  readonly tritonServer: string;
  readonly tritonBackends: string;
  /** Folders for LD_LIBRARY_PATH of Triton and perf_analyzer: one a line. */
  readonly libraryPathFile: string;
  readonly perfAnalyzer: string;
  readonly perfAnalyzerLibraries: string;
  readonly electron: string;
  readonly runs: string;
  /** Models that are kept serving: a folder each. */
  readonly deployments: string;
  readonly cache: string;
  /** One record a started engine process, for the sweep of orphans. */
  readonly engines: string;
  /** Settings of window and command line. */
  readonly settings: string;
  /** Log of the window's main process. */
  readonly logs: string;
  /** Defaults of options of the command line, which the person writes. */
  readonly cliDefaults: string;
  /** Queues of the runs that measure, one a device. */
  readonly devices: string;
  /** Removed runs, until they are brought back or the trash is emptied. */
  readonly trash: string;
  /** Several runs that are driven together: a folder each. */
  readonly studies: string;
  /** Reports of studies, a folder each. */
  readonly matrices: string;
  /** Logo and sections of every report. */
  readonly reportSettings: string;
  /** Recordings of the monitor. */
  readonly recordings: string;
  /** What the monitor remembers: servers and alert rules. */
  readonly monitor: string;
  /** Drafts of the wizard. */
  readonly drafts: string;
  /** Published data sets and checkpoints that were fetched, by preset. */
  readonly data: string;
  /** Contents of own models that may be executed. */
  readonly trusted: string;
  /** Secret that seals what this home writes into its runs; made with the first run. */
  readonly runKey: string;
  /** What runs may use outside of the home: paths, images, other machines. */
  readonly approved: string;
  /** Which image each reference meant at its last use. */
  readonly knownImages: string;
  /** Machines to run on, by name. */
  readonly hosts: string;
  /** Sets of runs that are compared by a name. */
  readonly comparisons: string;
  /** Scripts and output of jobs, a folder each. */
  readonly jobs: string;
  /** Id of the home in the labels of its containers; made when the first one is. */
  readonly instance: string;
}

/** A base directory of XDG; those that are not absolute are to be ignored. */
const baseFolder = (value: string | undefined, ...usual: readonly string[]): string =>
  value !== undefined && isAbsolute(value) ? value : join(homedir(), ...usual);

/** The person's own files about the workbench that cannot be in the home. */
export const configFolder = (env: NodeJS.ProcessEnv): string =>
  join(baseFolder(env['XDG_CONFIG_HOME'], '.config'), 'triton-workbench');

/** Says where a home was moved to. */
export const homePointerFile = (env: NodeJS.ProcessEnv): string => join(configFolder(env), 'home.json');

export interface HomePointer {
  readonly home: string;
  /** Where it was before, until what is left there is removed; files that changed since `movedMs` stay. */
  readonly previous?: string | undefined;
  readonly movedMs?: number | undefined;
}

const isFolder = (value: unknown): value is string => typeof value === 'string' && isAbsolute(value);

/** Without a schema: this is read before anything else of the program. */
function homePointerOf(value: unknown): HomePointer {
  const { home, previous, movedMs } = value as Readonly<Record<string, unknown>>;
  if (!isFolder(home)) throw new Error('home must be an absolute path');
  if (previous !== undefined && !isFolder(previous)) throw new Error('previous must be an absolute path');
  if (movedMs !== undefined && typeof movedMs !== 'number') throw new Error('movedMs must be a number');
  return { home, ...present({ previous, movedMs }) };
}

/** null: the home was not moved. Throws input-invalid for a file that is not such a pointer or cannot be read. */
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
      'The file with the place of the workbench home cannot be read',
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
    throw new WorkbenchError('input-invalid', 'The file with the place of the workbench home is damaged', {
      where: file,
      remedy: 'Write {"home": "/folder/of/the/home"} to it, or remove it to use the default home.',
      cause,
    });
  }
}

/** Where the home is while nobody has moved it. */
export function unmovedHome(env: NodeJS.ProcessEnv): string {
  return join(baseFolder(env['XDG_DATA_HOME'], '.local', 'share'), 'triton-workbench');
}

/**
 * `TRITON_WORKBENCH_HOME`, else where the home was moved to, else the default place. Throws input-invalid for a damaged
 * pointer, and where the folder that it names is missing: its disk may not be mounted.
 */
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

/** Folders of tools, by their names in the home: they hold absolute paths, and the set-up makes them anew. */
export const toolFolders: readonly string[] = [
  'python',
  'tensorflow',
  'triton',
  'perf-analyzer',
  'electron',
  'docker-base',
];

/** Whether the variable sets the home to another folder than it has without it; a damaged pointer says nothing else. */
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
    data: join(home, 'data'),
    trusted: join(home, 'trusted.json'),
    runKey: join(home, 'run-key'),
    approved: join(home, 'approved.json'),
    knownImages: join(home, 'known-images.json'),
    hosts: join(home, 'hosts.json'),
    comparisons: join(home, 'comparisons.json'),
    jobs: join(home, 'jobs'),
    instance: join(home, 'instance'),
  };
}

/**
 * A package keeps the app in an archive, `app.asar`, which only Electron looks into. What others read by path (Python, Docker,
 * worker threads) lies beside it under the same names; in a clone it is all one folder.
 */
export const readableFolder = (app: string): string => (app.endsWith('.asar') ? `${app}.unpacked` : app);
