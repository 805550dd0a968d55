import { WorkbenchError } from '../contract/errors';

const refusals: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'a folder of the path does not exist or does not accept new files',
  ENAMETOOLONG: 'a name in the path is too long',
  ELOOP: 'the path has too many symbolic links',
};

/** Why the system does not write there, in words; null for anything else. */
export function refusalOf(code: string | undefined): string | null {
  const words = code === undefined ? undefined : refusals[code];
  return words === undefined ? null : `${words} (${code ?? ''})`;
}

/** The system's refusal as an error that says what to do; anything else is passed on. */
export function fileError(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new WorkbenchError('disk-full', `No space left while writing ${path}`, {
      where: path,
      cause: error,
    });
  }
  const refusal = refusalOf(code);
  if (refusal === null) return error;
  return new WorkbenchError('file-unwritable', `Cannot write ${path}: ${refusal}`, { cause: error });
}

/** How work in the background stands after it threw: cancelled, or failed. */
/** The system's reason below undici's "fetch failed". */
export function fetchReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    const { code } = cause as NodeJS.ErrnoException;
    return cause.message === '' ? (code ?? cause.name) : cause.message;
  }
  return error instanceof Error ? error.message : String(error);
}
