import { invalidInput } from '../../contract/errors';

export type Cells = ReadonlyMap<string, string>;
export type TraceRecord = Readonly<Record<string, unknown>>;

const isOpen = (text: string): boolean => (text.split('"').length - 1) % 2 === 1;

/** Fields of a line in which some are quoted. */
export function quotedFields(line: string, delimiter: string): string[] {
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at);
    if (letter === '"' && quoted && line.charAt(at + 1) === '"') {
      field += '"';
      at += 1;
    } else if (letter === '"') quoted = !quoted;
    else if (letter === delimiter && !quoted) {
      fields.push(field.trim());
      field = '';
    } else field += letter;
  }
  return [...fields, field.trim()];
}

/** The one of comma, semicolon and tab that the first line has most of. */
function delimiterOf(line: string): string {
  const counts = [',', ';', '\t'].map((one) => ({ one, count: line.split(one).length }));
  return counts.reduce((most, other) => (other.count > most.count ? other : most)).one;
}

/** Lines of a text, and lines that a quote holds together. */
function* wholeLines(
  text: string,
  file: string,
): Generator<{ readonly text: string; readonly line: number }> {
  let begun = '';
  let begunLine = 0;
  let line = 0;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    line += 1;
    const one = text.slice(at, end).replace(/\r$/, '');
    at = end + 1;
    if (begunLine === 0 && !one.includes('"')) {
      yield { text: one, line };
      continue;
    }
    begun = begunLine === 0 ? one : `${begun}\n${one}`;
    begunLine ||= line;
    if (isOpen(one) !== (begunLine !== line)) continue;
    yield { text: begun, line: begunLine };
    begunLine = 0;
  }
  if (begunLine > 0)
    throw invalidInput(`${file}, line ${begunLine}`, 'A quote is opened and not closed', 'Close it.');
}

/** Lines of a CSV file with fields; blank ones and comments are left out. Throws input-invalid. */
export function* csvRecords(
  text: string,
  file: string,
): Generator<{ readonly cells: readonly string[]; readonly line: number }> {
  let delimiter: string | null = null;
  for (const { text: one, line } of wholeLines(text.replace(/^\uFEFF/, ''), file)) {
    if (/^\s*(?:#|$)/.test(one)) continue;
    delimiter ??= delimiterOf(one);
    const cells = one.includes('"')
      ? quotedFields(one, delimiter)
      : one.split(delimiter).map((cell) => cell.trim());
    yield { cells, line };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);
/** Between values, and the brackets of one list round all of them. */
const between = /[\s,]/;

/** Where the value ends that begins at `from`; -1: it does not. */
function endOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1)
        if (text.charCodeAt(at) === backslash) at += 1;
      if (depth === 0) return at < text.length ? at + 1 : -1;
    } else if (opening.has(code)) depth += 1;
    else if (closing.has(code)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && between.test(text.charAt(at))) return at;
  }
  return depth === 0 ? text.length : -1;
}

/**
 * The values of a JSON list, or of JSON lines, one after the other: a file of any length has one of them in memory.
 * Throws input-invalid with the line.
 */
export function* jsonRecords(
  text: string,
  file: string,
): Generator<{ readonly value: unknown; readonly line: number }> {
  let line = 1;
  let counted = 0;
  const lineAt = (at: number): number => {
    for (; counted < at; counted += 1) if (text.charCodeAt(counted) === newline) line += 1;
    return line;
  };
  const begin = /[^\s\uFEFF]/.exec(text)?.index ?? text.length;
  const isList = text.charAt(begin) === '[';
  for (let at = isList ? begin + 1 : begin; at < text.length;) {
    const letter = text.charAt(at);
    if (between.test(letter) || (isList && letter === ']')) {
      at += 1;
      continue;
    }
    const end = endOf(text, at);
    const where = `${file}, line ${lineAt(at)}`;
    if (end < 0)
      throw invalidInput(where, 'The file ends within a value', 'Copy the file once it is complete.');
    let value: unknown;
    try {
      value = JSON.parse(text.slice(at, end));
    } catch {
      throw invalidInput(where, 'This is not JSON', 'Give one JSON object per line, or a list of them.');
    }
    yield { value, line };
    at = end;
  }
}
