interface ShellEnvironment {
  readonly variables: ReadonlyMap<string, string>;
  /** Reason by name. */
  readonly unknown: ReadonlyMap<string, string>;
}

class Unknown extends Error {}

/** `${A:-${B:-...}}`: published files nest two. */
const mostNesting = 16;
/** Over all values: a variable used twice doubles its length with every line. */
const mostLetters = 2 ** 20;

/** Remaining characters of all values. */
interface Budget {
  letters: number;
}

/** Parses words of shell assignments; never executes. */
class Reader {
  private at = 0;
  private nesting = 0;

  constructor(
    private readonly text: string,
    private readonly variables: ReadonlyMap<string, string>,
    private readonly budget: Budget,
  ) {}

  get done(): boolean {
    return this.at >= this.text.length;
  }

  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
  }

  /** `NAME=` at this position; null leaves the position. */
  assignment(): string | null {
    const [all, name] = /^([A-Za-z_]\w*)=/.exec(this.text.slice(this.at)) ?? [];
    if (all === undefined || name === undefined) return null;
    this.at += all.length;
    return name;
  }

  /** Skips `;` or `&&`, after which another assignment may follow. */
  nextCommand(): void {
    const [all = ''] = /^(?:;(?!;)|&&)\s*/.exec(this.text.slice(this.at)) ?? [];
    this.at += all.length;
    if (all !== '') this.skipPrefix();
  }

  skipPrefix(): void {
    const [all = ''] =
      /^\s*(export\s+|declare\s+(-\w+\s+)*|readonly\s+)?/.exec(this.text.slice(this.at)) ?? [];
    this.at += all.length;
  }

  /** `(a "b c")` as words, or one word. */
  value(): string {
    if (this.text[this.at] !== '(') return this.word(/[\s;&|]/);
    this.at += 1;
    const words: string[] = [];
    this.skipSpace();
    while (!this.done && this.text[this.at] !== ')') {
      words.push(this.word(/[\s)]/));
      this.skipSpace();
    }
    this.at += 1;
    return words.join(' ');
  }

  private word(end: RegExp): string {
    let out = '';
    while (!this.done && !end.test(this.text[this.at] ?? '')) {
      const character = this.text[this.at] ?? '';
      if (character === "'") out += this.until("'");
      else if (character === '"') out += this.quoted();
      else out += this.piece();
    }
    return out;
  }

  private until(mark: string): string {
    const end = this.text.indexOf(mark, this.at + 1);
    const stop = end < 0 ? this.text.length : end;
    const inner = this.text.slice(this.at + 1, stop);
    this.at = stop + 1;
    return inner;
  }

  private quoted(): string {
    let out = '';
    this.at += 1;
    while (!this.done && this.text[this.at] !== '"') out += this.piece();
    this.at += 1;
    return out;
  }

  private piece(): string {
    const character = this.text[this.at] ?? '';
    const next = this.text[this.at + 1] ?? '';
    if (character === '\\') {
      this.at += 2;
      return next === '\n' ? '' : next;
    }
    if (character === '`' || (character === '$' && next === '(')) {
      throw new Unknown('it is the output of a command');
    }
    if (character === '$' && next === '{') return this.braces();
    const [all, name] = character === '$' ? (/^\$([A-Za-z_]\w*)/.exec(this.text.slice(this.at)) ?? []) : [];
    if (all !== undefined && name !== undefined) {
      this.at += all.length;
      return this.valueOf(name, null);
    }
    this.at += 1;
    return character;
  }

  /** `${NAME}`, `${NAME:-default}`, `${NAME:=default}`, `${NAME-default}`. */
  private braces(): string {
    const [all, name, operator] = /^\$\{([A-Za-z_]\w*)(:?[-=])?/.exec(this.text.slice(this.at)) ?? [];
    if (all === undefined || name === undefined) throw new Unknown('its expansion is not supported');
    this.at += all.length;
    if (operator === undefined) {
      if (this.text[this.at] !== '}') throw new Unknown('its expansion is not supported');
      this.at += 1;
      return this.valueOf(name, null);
    }
    const start = this.at;
    let fallback: string | null = null;
    let why = '';
    if (this.nesting >= mostNesting) throw new Unknown('its expansion is nested too deeply');
    this.nesting += 1;
    try {
      fallback = this.word(/\}/);
      this.at += 1;
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      why = error.message;
      const end = this.text.indexOf('}', start);
      this.at = end < 0 ? this.text.length : end + 1;
    } finally {
      this.nesting -= 1;
    }
    if (fallback === null && !this.variables.has(name)) throw new Unknown(why);
    return this.valueOf(name, fallback);
  }

  private valueOf(name: string, fallback: string | null): string {
    const value = this.variables.get(name) ?? fallback;
    if (value === null) throw new Unknown(`it depends on ${name}, which the file does not set`);
    this.budget.letters -= value.length;
    if (this.budget.letters < 0) throw new Unknown('the values of the file are too long together');
    return value;
  }
}

const opening = new Set(['if', 'for', 'while', 'until', 'select', 'case']);
const closing = new Set(['fi', 'done', 'esac']);
/** Words followed by a command. */
const leading = new Set(['if', 'while', 'until', 'then', 'elif', 'else', 'do', '!', '{', ...closing]);
const signs = new Set([';', '&', '|', '(', ')', '\n']);
/** Text without shell words: an escape, quoted text, an array, a comment. */
const noWords = /\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|=\([^)]*(?:\)|$)|(?<![^\s;&|()])#[^\n]*/gs;

/** Conditions and loops opened by the statement, less those closed. */
function blocksOpened(statement: string): number {
  const words = statement.replace(noWords, (all) => (all.startsWith('#') ? '' : '_'));
  let open = 0;
  let isCommand = true;
  for (const word of words.match(/[;&|()\n<>]|[^\s;&|()<>]+/g) ?? []) {
    if (isCommand && opening.has(word)) open += 1;
    if (isCommand && closing.has(word)) open -= 1;
    isCommand = signs.has(word) || (isCommand && leading.has(word));
  }
  return open;
}

/** Joins continuation lines and multi-line arrays, in linear time. */
function statements(text: string): string[] {
  const joined = text.replace(/\r\n/g, '\n').replace(/\\\n/g, '');
  const found: string[] = [];
  let lines: string[] = [];
  let array = false;
  for (const line of joined.split('\n')) {
    lines.push(line);
    const [opened, closed] = [line.lastIndexOf('=('), line.lastIndexOf(')')];
    if (opened !== closed) array = opened > closed;
    if (!array) {
      found.push(lines.join('\n'));
      lines = [];
    }
  }
  if (lines.length > 0) found.push(lines.join('\n'));
  return found;
}

/** `export KEY=value`, `${VAR:-default}`, arrays; never executes. Conditions and loops are ignored. */
export function parseShellEnvironment(text: string): ShellEnvironment {
  const variables = new Map<string, string>();
  const unknown = new Map<string, string>();
  const budget: Budget = { letters: mostLetters };
  let depth = 0;
  for (const statement of statements(text)) {
    const inside = depth > 0;
    depth = Math.max(0, depth + blocksOpened(statement));
    if (inside) continue;
    const reader = new Reader(statement, variables, budget);
    reader.skipPrefix();
    for (let name = reader.assignment(); name !== null; name = reader.assignment()) {
      try {
        variables.set(name, reader.value());
        unknown.delete(name);
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        unknown.set(name, error.message);
        variables.delete(name);
        break;
      }
      reader.skipSpace();
      reader.nextCommand();
    }
  }
  return { variables, unknown };
}
