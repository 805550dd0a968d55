import { WorkbenchError } from '../contract/errors';
import { exec } from '../platform/exec';
import { exists } from '../platform/files';
import type { LaunchPython } from './launch';

export interface LocalPythonOptions {
  /** Python of the workbench's virtual environment. */
  readonly python: string;
  /** `resources` folder: holds the package `toolkit`. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Python of the workbench home. The launch throws toolchain-missing where it is not installed. */
export function createLocalPython(options: LocalPythonOptions): LaunchPython {
  const env: NodeJS.ProcessEnv = {
    PATH: options.env['PATH'],
    HOME: options.env['HOME'],
    LANG: 'C.UTF-8',
    PYTHONPATH: options.resources,
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return async (launch) => {
    if (!(await exists(options.python))) {
      throw new WorkbenchError(
        'toolchain-missing',
        'The Python environment of the workbench is not installed',
        { where: options.python },
      );
    }
    const argv: [string, ...string[]] = [options.python, ...launch.args];
    await launch.onCommand(argv);
    return exec({ argv, env, ...launch });
  };
}
