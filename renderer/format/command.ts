/** One argument as a POSIX shell reads it back. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** A command to paste into a shell. */
export const shellCommand = (argv: readonly string[]): string => argv.map(quoted).join(' ');

/** A command in one line: the program without its folder, then its words as they are. */
export const commandTitle = ([program = '', ...words]: readonly string[]): string =>
  shellCommand([program.split(/[\\/]/).at(-1) ?? program, ...words]);
