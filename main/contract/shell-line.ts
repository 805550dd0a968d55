const plain = /^[\w@%+=:,./-]+$/;

/** argv as one line that a POSIX shell takes apart again into the same words. */
export function shellLine(argv: readonly string[]): string {
  return argv
    .map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
