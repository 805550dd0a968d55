import type { ConfigNode, ConfigNodeMessage, Span } from './config-tree';

/** A replacement of a part of the text. */
export interface Edit extends Span {
  readonly text: string;
}

/** Applies replacements that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((result, { start, end, text: put }) => result.slice(0, start) + put + result.slice(end), text);
}

const isBlank = (text: string): boolean => /^[ \t\r]*$/.test(text);

/** How a text is laid out: its line endings, and what stands before and behind a place in its line. */
export class Layout {
  readonly eol: string;

  constructor(readonly text: string) {
    this.eol = text.includes('\r\n') ? '\r\n' : '\n';
  }

  private lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1;
  }

  /** Without the line ending. */
  private lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at);
    if (end === -1) return this.text.length;
    return end > at && this.text[end - 1] === '\r' ? end - 1 : end;
  }

  private indentAt(at: number): string {
    return /^[ \t]*/.exec(this.text.slice(this.lineStart(at), at))?.[0] ?? '';
  }

  private isLastInLine(at: number): boolean {
    return /^[ \t\r]*(#.*)?$/.test(this.text.slice(at, this.lineEnd(at)));
  }

  isMultiline({ start, end }: Span): boolean {
    return this.text.slice(start, end).includes('\n');
  }

  /** Lines for a place that begins at an offset: the first goes there, the others below it. */
  linesAt(lines: readonly string[], at: number): string {
    return lines.join(`${this.eol}${this.indentAt(at)}`);
  }

  /** Removes a part with the blanks that it leaves behind: the whole line where nothing else is in it. */
  cut({ start, end }: Span): Edit {
    const [from, to] = [this.lineStart(start), this.lineEnd(end)];
    const [before, behind] = [this.text.slice(from, start), this.text.slice(end, to)];
    if (isBlank(before) && isBlank(behind)) {
      const ending = this.text.slice(to, to + 2) === '\r\n' ? 2 : 1;
      return { start: from, end: Math.min(this.text.length, to + ending), text: '' };
    }
    const spaces = /^[ \t]*/.exec(behind)?.[0].length ?? 0;
    if (spaces > 0 && spaces < behind.length) return { start, end: end + spaces, text: '' };
    return { start: start - (/[ \t]*$/.exec(before)?.[0].length ?? 0), end, text: '' };
  }

  /** New lines behind the last field of a message, or of the file (null), as its other fields are written. */
  insert(lines: readonly string[], fields: readonly ConfigNode[], message: ConfigNodeMessage | null): Edit[] {
    const last = fields.at(-1);
    if (last === undefined) return [this.first(lines, message)];
    const isSeparated = fields.slice(0, -1).every((field) => field.separator !== '');
    const between = isSeparated && last.separator === '' ? (fields[0]?.separator ?? '') : '';
    const tail = isSeparated ? last.separator : '';
    if (this.isLastInLine(last.end)) {
      const at = this.lineEnd(last.end);
      const indent = this.indentAt(last.start);
      const text = lines.map((line) => `${this.eol}${indent}${line}`).join('');
      const edits = [{ start: at, end: at, text: `${text}${tail}` }];
      if (between === '') return edits;
      return at === last.end
        ? [{ start: at, end: at, text: `${between}${text}${tail}` }]
        : [{ start: last.end, end: last.end, text: between }, ...edits];
    }
    return [{ start: last.end, end: last.end, text: `${between} ${oneLine(lines)}${tail}` }];
  }

  private first(lines: readonly string[], message: ConfigNodeMessage | null): Edit {
    if (message === null) {
      const end = this.text.length;
      const opened = end === 0 || /[\n\ufeff]$/.test(this.text) ? '' : this.eol;
      return { start: end, end, text: `${opened}${lines.join(this.eol)}${this.eol}` };
    }
    const inside = { start: message.open.end, end: message.close.start };
    const { start: close } = message.close;
    if (this.isMultiline(inside) && isBlank(this.text.slice(this.lineStart(close), close))) {
      const at = this.lineStart(close);
      const indent = `${this.indentAt(close)}  `;
      return { start: at, end: at, text: lines.map((line) => `${indent}${line}${this.eol}`).join('') };
    }
    const behind = /^[ \t]/.test(this.text.slice(inside.start, inside.end)) ? '' : ' ';
    return { start: inside.start, end: inside.start, text: ` ${oneLine(lines)}${behind}` };
  }
}

/** `a {`, `  b: 1`, `}` -> `a { b: 1 }`. */
export const oneLine = (lines: readonly string[]): string => lines.map((line) => line.trim()).join(' ');
