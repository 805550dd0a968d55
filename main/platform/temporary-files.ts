import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ErrorCode, WorkbenchError } from '../contract/errors';

/** What is being written lasts much less; what was killed meanwhile stays so long. */
const abandonedMs = 24 * 3600 * 1000;

const temporaryPattern = /\.(?:[0-9a-f]{8}|[0-9a-f]{12})\.tmp$|\.tmp\.pdf$/;

/** A name beside `path` that nobody else has, for what takes its place once it is whole. */
export const temporaryBeside = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`;

/** Removes from the folder what writers left that were killed; nothing where there is no such folder. Never rejects. */
export async function sweepTemporary(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!temporaryPattern.test(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found === null || Date.now() - found.mtimeMs < abandonedMs) continue;
    // What another user owns stays.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

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
