import { complaint, type ConfigToken, configTokens } from './config-tokens';

/** A part of the text, in offsets; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ConfigNodeMessage {
  /** Of the opening and the closing bracket; the file has none. */
  readonly open: Span;
  readonly close: Span;
  readonly fields: readonly ConfigNode[];
}

export interface ConfigNodeValue extends Span {
  /** As written, comments between adjacent strings included. */
  readonly text: string;
  /** Contents of the value's tokens; adjacent strings are one value. */
  readonly parts: readonly string[];
  readonly message: ConfigNodeMessage | null;
  /** The comma behind it, in a list. */
  readonly comma: Span | null;
}

/** A field as written, from its name to its last value; a separator behind it is included. */
export interface ConfigNode extends Span {
  readonly name: string;
  /** "," or ";" behind it; '' without one. */
  readonly separator: string;
  /** Brackets of a list; null for a plain value. */
  readonly list: { readonly open: Span; readonly close: Span } | null;
  readonly values: readonly ConfigNodeValue[];
}

const closing: Readonly<Record<string, string>> = { '{': '}', '<': '>' };
const deepest = 100;

class TreeReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly ConfigToken[],
  ) {}

  file(): readonly ConfigNode[] {
    return this.fields(null, 0);
  }

  private peek(): ConfigToken | undefined {
    return this.tokens[this.at];
  }

  private isMark(...marks: readonly string[]): boolean {
    const token = this.peek();
    return token?.kind === 'mark' && marks.includes(token.text);
  }

  private next(): ConfigToken {
    const token = this.peek();
    if (token === undefined) {
      throw complaint(
        this.tokens.at(-1)?.line ?? 1,
        'The file ends in the middle of a field',
        'Complete it.',
      );
    }
    this.at += 1;
    return token;
  }

  private fields(close: string | null, depth: number): readonly ConfigNode[] {
    const found: ConfigNode[] = [];
    while (this.peek() !== undefined && !(close !== null && this.isMark(close)))
      found.push(this.field(depth));
    return found;
  }

  private field(depth: number): ConfigNode {
    const name = this.next();
    if (name.kind !== 'word') {
      throw complaint(name.line, `"${name.text}" where a field begins`, 'Write NAME: VALUE.');
    }
    if (this.isMark(':')) this.at += 1;
    const open = this.isMark('[') ? this.next() : null;
    const values = open === null ? [this.value(depth)] : this.list(depth);
    const close = open === null ? null : this.next();
    const separator = this.isMark(',', ';') ? this.next() : null;
    const last = separator ?? close ?? values.at(-1) ?? name;
    return {
      ...{ name: name.text, start: name.start, end: last.end, separator: separator?.text ?? '', values },
      list: open === null || close === null ? null : { open, close },
    };
  }

  private list(depth: number): readonly ConfigNodeValue[] {
    const values: ConfigNodeValue[] = [];
    while (!this.isMark(']')) {
      const value = this.value(depth);
      values.push({ ...value, comma: this.isMark(',') ? this.next() : null });
    }
    return values;
  }

  private value(depth: number): ConfigNodeValue {
    const first = this.next();
    const end = first.kind === 'mark' ? closing[first.text] : undefined;
    if (end !== undefined) {
      if (depth > deepest) throw complaint(first.line, 'Messages are nested too deeply', 'Nest fewer.');
      const fields = this.fields(end, depth + 1);
      const close = this.next();
      return this.valueFrom([first, close], { open: first, close, fields });
    }
    const parts = [first];
    if (first.kind === 'mark') parts.push(this.next());
    while (first.kind === 'string' && this.peek()?.kind === 'string') parts.push(this.next());
    return this.valueFrom(parts, null);
  }

  private valueFrom(parts: readonly ConfigToken[], message: ConfigNodeMessage | null): ConfigNodeValue {
    const start = parts[0]?.start ?? 0;
    const end = parts.at(-1)?.end ?? start;
    const text = this.text.slice(start, end);
    return { start, end, text, parts: parts.map((part) => part.text), message, comma: null };
  }
}

/**
 * Fields of a config.pbtxt as written, by offset: what lies between them (comments, spacing, a byte order mark) is the text's
 * own. Without a look at the schema. Throws config-invalid with the line.
 */
export const configTree = (text: string): readonly ConfigNode[] =>
  new TreeReader(text, configTokens(text.replace(/^\ufeff/, ' '))).file();
