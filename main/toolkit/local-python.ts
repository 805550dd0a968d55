import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { WorkbenchError } from '../contract/errors';
import { exec, follow, type GroupChild, killGroup, startChild } from '../platform/exec';
import { exists } from '../platform/files';
import { toolkitVariables } from '../platform/process';
import type { EnsurePython, LaunchPython } from './toolkit';

/** An interpreter with its imports done, waiting for a verb on stdin. */
type StandingBy = GroupChild & { readonly stdin: Writable };

/** Keeps one interpreter ready: importing torch takes longer than many verbs. */
export interface PythonAhead {
  /** Starts the one for the verb that usually follows `words` (after `-m toolkit`), if any. */
  prepare(
    python: string,
    place: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
    words: readonly string[],
  ): void;
  /** Hands `words` to the waiting interpreter, which the caller then owns; null: start a new one. */
  take(python: string, words: readonly string[]): GroupChild | null;
  close(): void;
}

/** `runtime`: packages that run the model itself. */
function importsAfter(
  [verb = '', ...args]: readonly string[],
  runtime: readonly string[],
): readonly string[] | null {
  switch (verb) {
    case 'make-dataset':
      return runtime;
    case 'load-checkpoint':
    case 'train':
      return [...runtime, 'onnx'];
    case 'export':
      return args.includes('onnx') ? ['onnx', 'onnxruntime'] : runtime;
    case 'convert':
      return runtime;
    case 'infer-framework':
      return ['tritonclient.grpc'];
    case 'infer-triton':
    case 'verify':
    case 'metrics':
      return ['numpy'];
    default:
      return null;
  }
}

/**
 * `runtime`: packages that run the model; "framework" is torch or tensorflow, whichever exists. A waiting interpreter ends
 * with its starter, as its stdin closes.
 */
export function createPythonAhead(runtime: readonly string[]): PythonAhead {
  let waiting: { readonly child: StandingBy; readonly python: string } | null = null;
  const drop = () => {
    const pid = waiting?.child.pid;
    waiting = null;
    if (pid !== undefined) killGroup(pid, 'SIGKILL');
  };
  return {
    prepare(python, { env, cwd }, words) {
      const imports = importsAfter(words, runtime);
      if (imports === null) return;
      drop();
      const child = startChild(python, ['-m', 'toolkit', '--ahead', ...imports], {
        env,
        cwd,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      // A failed one is no loss: `take` detects it and the verb starts normally.
      child.on('error', () => undefined);
      child.stdin.on('error', () => undefined);
      waiting = { child, python };
    },
    take(python, words) {
      if (waiting === null) return null;
      const { child } = waiting;
      const isAlive = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
      if (!isAlive || waiting.python !== python) {
        drop();
        return null;
      }
      waiting = null;
      child.stdin.end(`${JSON.stringify(words)}\n`);
      return child;
    },
    close: drop,
  };
}

interface LocalPythonOptions {
  /** Python of the workbench's environment, or a function that installs one. */
  readonly python: string | EnsurePython;
  /** `resources`, which contains the package `toolkit`. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  /** Cache of PyTorch's compiler; absent: the system's temporary folder. */
  readonly cache?: string;
  /** Further variables of the process; absent: none. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Shared by a run's consecutive verbs. */
  readonly ahead?: PythonAhead;
}

export const pythonMissing = (where: string): WorkbenchError =>
  new WorkbenchError('toolchain-missing', 'The Python environment of the workbench is not installed', {
    where,
  });

/**
 * Model-sized blocks are allocated repeatedly: glibc keeps up to this many freed bytes instead of returning them, which
 * saves the kernel clearing the pages again.
 */
const keptBytes = String(2 ** 30);
const keptMemory = { MALLOC_MMAP_THRESHOLD_: keptBytes, MALLOC_TRIM_THRESHOLD_: keptBytes };

/**
 * Runs in the toolkit's folder: `python -m` imports from its working directory, where a user may have a `torch` or
 * `triton`. The launch throws toolchain-missing where Python is not installed.
 */
export function createLocalPython(options: LocalPythonOptions): LaunchPython {
  const env: NodeJS.ProcessEnv = {
    PATH: options.env['PATH'],
    HOME: options.env['HOME'],
    LANG: 'C.UTF-8',
    PYTHONPATH: options.resources,
    PYTHONUNBUFFERED: '1',
    ...toolkitVariables,
    ...(options.cache === undefined ? {} : { TORCHINDUCTOR_CACHE_DIR: join(options.cache, 'torchinductor') }),
    ...options.variables,
    ...keptMemory,
  };
  const cwd = options.resources;
  return async (launch) => {
    const python = typeof options.python === 'string' ? options.python : await options.python(launch);
    if (!(await exists(python))) {
      throw pythonMissing(python);
    }
    const argv: [string, ...string[]] = [python, ...launch.args];
    await launch.onCommand(argv);
    const { ahead } = options;
    if (ahead === undefined || launch.signal.aborted) return exec({ argv, env, cwd, ...launch });
    const words = launch.args.slice(2);
    const ready = ahead.take(python, words);
    const ended = ready === null ? exec({ argv, env, cwd, ...launch }) : follow(ready, launch);
    ahead.prepare(python, { env, cwd }, words);
    return ended;
  };
}
