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

const mostLetters = 80;
const mostNames = 20;

/** A text of any origin as it is quoted: a file may hold one of megabytes. */
export const shortText = (text: string): string =>
  text.length <= mostLetters ? text : `${text.slice(0, mostLetters)}…`;

/** Names of any origin in a row; of more than twenty the first, and how many there are besides. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(shortText).join(', ');
  return names.length <= mostNames ? shown : `${shown} and ${names.length - mostNames} more`;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** A value of any origin as it is quoted; a large one by its kind, as it may be nested millions deep. */
export function shortValue(value: unknown): string {
  if (isPlain(value)) return value === undefined ? 'nothing' : shortText(JSON.stringify(value));
  if (!Array.isArray(value)) return 'an object';
  const isShort = value.length <= mostNames && value.every(isPlain);
  return isShort ? shortText(JSON.stringify(value)) : `a list of ${value.length}`;
}
