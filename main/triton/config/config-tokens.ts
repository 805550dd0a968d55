import { WorkbenchError } from '../../contract/errors';

/** A token of protobuf's text format. */
export interface ConfigToken {
  readonly kind: 'word' | 'number' | 'string' | 'mark';
  /** As written; strings without quotes. */
  readonly text: string;
  readonly line: number;
  /** Offsets in the text, quotes included; `end` is behind it. */
  readonly start: number;
  readonly end: number;
}

export function complaint(line: number, message: string, remedy: string): WorkbenchError {
  return new WorkbenchError('config-invalid', message, { where: `config.pbtxt, line ${line}`, remedy });
}

/** Typographic characters inserted by word processors and web pages. */
const lookalikes: readonly (readonly [RegExp, string, string])[] = [
  [/[“”„‟«»″]/, 'Typographic quotes', 'Write plain quotes: "…".'],
  [/[‘’‚‛′`]/, 'Typographic quotes', 'Write plain quotes: "…".'],
  [/[\u00a0\u2000-\u200a\u202f\u3000]/, 'A space that is not a plain one', 'Delete it, and type a space.'],
  [/[\u200b-\u200f\u2060\ufeff]/, 'An invisible character', 'Delete it: type the line again.'],
  [/[–—−]/, 'A dash in place of a minus sign', 'Write -1 with a plain hyphen.'],
  [/[：，；｛｝［］]/, 'A full-width character', 'Type it again with an English keyboard.'],
];

const pattern =
  /([ \t\r\n\f\v]+|#[^\n]*)|([A-Za-z_][\w.]*)|(-?\.?\d[\w.+-]*)|(["'])|([{}<>:[\],;-])|([\s\S])/gu;

/** Index of the closing quote; -1 if the line ends first. */
function stringEnd(text: string, quote: string, start: number): number {
  for (let at = start; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function strange(character: string, line: number): WorkbenchError {
  const found = lookalikes.find(([set]) => set.test(character));
  if (found !== undefined) return complaint(line, `${found[1]}: ${character}`, found[2]);
  if (character === '=') {
    return complaint(line, 'A value is given with "="', 'Write a colon: max_batch_size: 8.');
  }
  if (character === '/') return complaint(line, 'A comment begins with "/"', 'Comments begin with #.');
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return complaint(line, `The character U+${code} has no meaning here`, 'Delete it, or put it in quotes.');
}

/** Throws config-invalid for invalid characters and open strings. */
export function configTokens(text: string): readonly ConfigToken[] {
  const found: ConfigToken[] = [];
  let line = 1;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [all, space, word, number, quote, mark] = match;
    const place = { line, start: match.index, end: pattern.lastIndex };
    if (space !== undefined) line += space.split('\n').length - 1;
    else if (word !== undefined) found.push({ kind: 'word', text: word, ...place });
    else if (number !== undefined) found.push({ kind: 'number', text: number, ...place });
    else if (mark !== undefined) found.push({ kind: 'mark', text: mark, ...place });
    else if (quote === undefined) throw strange(all, line);
    else {
      const end = stringEnd(text, quote, pattern.lastIndex);
      if (end < 0) throw complaint(line, 'A text is not closed', `Put ${quote} after it, on the same line.`);
      found.push({ ...place, kind: 'string', text: text.slice(place.end, end), end: end + 1 });
      pattern.lastIndex = end + 1;
    }
  }
  return found;
}
