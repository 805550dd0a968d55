const escape = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/**
 * Escape sequences of a terminal (ECMA-48): control sequences, strings to the terminal (titles, clipboard, device) with
 * what they carry up to their end, and the short ones.
 */
const sequences = new RegExp(
  [
    `${escape}\\[[0-?]*[ -/]*[@-~]`,
    `${escape}[\\]PX^_][^${escape}${bell}\\n]*(?:${bell}|${escape}\\\\)?`,
    `${escape}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const anyControl = /\p{Cc}/u;
/** Control characters but the tab and the line feed. */
const control = /(?![\t\n])\p{Cc}/gu;

/** Without escape sequences and control characters; tabs and line feeds stay. For what is shown to people. */
export function cleanText(text: string): string {
  return anyControl.test(text) ? text.replace(sequences, '').replace(control, '') : text;
}

/** The same for what is one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll('\n', '');
}
