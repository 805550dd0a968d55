/** The system's reason below undici's "fetch failed". */
export function fetchReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) {
    const { code } = cause as NodeJS.ErrnoException;
    return cause.message === '' ? (code ?? cause.name) : cause.message;
  }
  return error instanceof Error ? error.message : String(error);
}
