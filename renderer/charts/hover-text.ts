import { isSteady, reasonsOf } from '../../main/contract/flag-text';
import type { LoadPoint } from '../../main/contract/measured/results';

/** Characters of a line in a hover text: about 300 px, which fits beside a point in half a page. */
const hoverWidth = 50;

/**
 * Plotly reads a small HTML in hover texts; text from a server or a tool is never markup. Of it only line breaks are used:
 * bold and italic are inline styles, which the content security policy refuses.
 */
export const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

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

export const wrapped = (text: string): string => wrapLines(text).map(plain).join('<br>');

export const linesOf = (hoverText: string): readonly string[] =>
  hoverText
    .split('<br>')
    .map((line) => line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));

/** The symbol of a level: hollow where it is not steady. What else is in doubt is in its hover text. */
export const symbolOf = (point: LoadPoint, symbol: string): string =>
  isSteady(point) ? symbol : `${symbol}${hollow}`;

const hollow = '-open';
export const isHollow = (symbol: string): boolean => symbol.endsWith(hollow);

/** One text per reason for doubt; none for a sound level. */
export const doubtLines = (point: LoadPoint): readonly string[] => reasonsOf(point).map(wrapped);
