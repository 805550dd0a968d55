import { constants } from 'node:fs';
import { access, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '../contract/errors';
import { WorkbenchError } from '../contract/errors';

/** Node's order: what holds where TMPDIR names nothing is /tmp. */
const folderOf = (env: NodeJS.ProcessEnv): string =>
  env === process.env ? tmpdir() : (env['TMPDIR'] ?? env['TMP'] ?? env['TEMP']) || '/tmp';

/**
 * Throws `code`, naming TMPDIR, where the folder for temporary files of a program with this environment does not exist
 * or cannot be written.
 */
export async function requireTemporaryFolder(env: NodeJS.ProcessEnv, code: ErrorCode): Promise<void> {
  const folder = folderOf(env);
  const fail = (message: string, cause?: unknown) =>
    new WorkbenchError(code, message, {
      remedy: `Set TMPDIR to a folder that exists and is writable, or create ${folder}, and try again.`,
      cause,
    });
  const found = await stat(folder).catch((cause: unknown) => {
    throw fail(`The folder for temporary files does not exist: ${folder} (TMPDIR).`, cause);
  });
  if (!found.isDirectory()) throw fail(`The path for temporary files is not a folder: ${folder} (TMPDIR).`);
  await access(folder, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    throw fail(`The folder for temporary files is not writable: ${folder} (TMPDIR).`, cause);
  });
}

/** A new folder for temporary files of this process. Throws `code`, naming TMPDIR, where none can be made. */
export async function makeTemporaryFolder(prefix: string, code: ErrorCode): Promise<string> {
  await requireTemporaryFolder(process.env, code);
  return mkdtemp(join(tmpdir(), prefix));
}
