const plain = /^[\w@%+=:,./-]+$/;

/** One word of a POSIX shell. */
export const shellWord = (word: string): string =>
  plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** argv as one line that a POSIX shell takes apart again into the same words. */
export function shellLine(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}
