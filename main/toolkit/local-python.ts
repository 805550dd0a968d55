import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { exec, follow } from '../platform/exec';
import { exists } from '../platform/files';
import { pythonVariables } from '../platform/process-environment';
import type { PythonAhead } from './python-ahead';
import type { EnsurePython, LaunchPython } from './toolkit';

interface LocalPythonOptions {
  /** Python of the workbench's virtual environment, or what installs another one first. */
  readonly python: string | EnsurePython;
  /** `resources` folder: holds the package `toolkit`. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where PyTorch's compiler keeps its files, which are in the machine's temporary folder otherwise. */
  readonly cache?: string;
  /** Of a run, whose verbs follow one another. */
  readonly ahead?: PythonAhead;
}

export const pythonMissing = (where: string): WorkbenchError =>
  new WorkbenchError('toolchain-missing', 'The Python environment of the workbench is not installed', {
    where,
  });

/**
 * Blocks as large as a model are taken and freed many times over: glibc uses up to so many freed bytes again in place of
 * giving them back and having the kernel clear as many pages the next time.
 */
const keptBytes = String(2 ** 30);
const keptMemory = { MALLOC_MMAP_THRESHOLD_: keptBytes, MALLOC_TRIM_THRESHOLD_: keptBytes };

/**
 * Python of the workbench home, started beside the toolkit: `python -m` takes modules from the folder that it is started in,
 * and a folder that somebody works in may have a `torch` or a `triton` of its own. The launch throws toolchain-missing where it is not installed.
 */
export function createLocalPython(options: LocalPythonOptions): LaunchPython {
  const env: NodeJS.ProcessEnv = {
    PATH: options.env['PATH'],
    HOME: options.env['HOME'],
    LANG: 'C.UTF-8',
    PYTHONPATH: options.resources,
    PYTHONUNBUFFERED: '1',
    ...pythonVariables,
    ...(options.cache === undefined ? {} : { TORCHINDUCTOR_CACHE_DIR: join(options.cache, 'torchinductor') }),
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
