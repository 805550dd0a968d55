/** Characters of a line in a hover text: about 300 px, which fits beside a point in half a page. */
export const hoverWidth = 50;

/**
 * Plotly reads a small HTML in hover texts; text from a server or a tool is never markup. Of it only line breaks are used:
 * bold and italic are inline styles, which the content security policy refuses.
 */
export const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Words of a text; a longer one than a line, as a path or an address is, in pieces. */
const piecesOf = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => word.match(new RegExp(`.{1,${hoverWidth}}`, 'gu')) ?? []);

/** The text in lines of {@link hoverWidth} characters at most, broken between words where it can be. */
export function wrapLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const piece of piecesOf(text)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + piece.length <= hoverWidth) {
      lines[lines.length - 1] = `${last} ${piece}`;
    } else lines.push(piece);
  }
  return lines;
}

/** Any text as a part of a hover text: wrapped, and nothing of it markup. */
export const wrapped = (text: string): string => wrapLines(text).map(plain).join('<br>');

/** The lines of a hover text, as they are read. */
export const linesOf = (hoverText: string): readonly string[] =>
  hoverText
    .split('<br>')
    .map((line) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
