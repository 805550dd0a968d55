/** What the terminal can show: colors of each stream, and its width. */

type Stream = 'stdout' | 'stderr';

/** SGR parameters. */
const styles = {
  title: '1',
  term: '36',
  good: '32',
  bad: '31',
  warning: '33',
  faint: '2',
} as const;
export type Style = keyof typeof styles;

/** Noncharacters of Unicode: they pass where control characters are removed, and no text has them. */
const firstMark = 0xfdd0;
const endMark = '\ufdef';
const names = Object.keys(styles) as Style[];
const anyMark = /[\ufdd0-\ufdef]/g;
const escape = '\u001b[';

const shown = { stdout: false, stderr: false };

/** Sets the streams that get colors. Until then none does. */
export function useColors(colors: Readonly<Record<Stream, boolean>>): void {
  Object.assign(shown, colors);
}

export const hasColors = (to: Stream): boolean => shown[to];

interface Terminal {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/** `--no-color` and `NO_COLOR` win over `FORCE_COLOR`; without any of them a terminal gets colors. */
export function colorsFor(stream: Terminal, env: NodeJS.ProcessEnv, words: readonly string[]): boolean {
  const end = words.indexOf('--');
  if ((end === -1 ? words : words.slice(0, end)).includes('--no-color')) return false;
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb' && (stream.hasColors?.() ?? true);
}

/** Marks text for `forStream`. The text itself where no stream has colors. */
export function paint(style: Style, text: string): string {
  if (text === '' || !(shown.stdout || shown.stderr)) return text;
  return `${String.fromCharCode(firstMark + names.indexOf(style))}${text}${endMark}`;
}

const states: Readonly<Partial<Record<string, Style>>> = {
  ...{ done: 'good', serving: 'good', ready: 'good', installed: 'good', complete: 'good' },
  ...{ failed: 'bad', gone: 'bad', damaged: 'bad', missing: 'bad', unreachable: 'bad' },
  ...{ cancelled: 'warning', paused: 'warning', interrupted: 'warning', stopped: 'warning' },
  ...{ running: 'term', starting: 'term', waiting: 'term' },
};

/** The state of a run, study, deployment or component in its color, by its first word. */
export function paintState(text: string): string {
  const style = states[text.split(' ')[0] ?? ''];
  return style === undefined ? text : paint(style, text);
}

/** Without marks. */
export const unpainted = (text: string): string => text.replace(anyMark, '');

/** Columns that the text takes. */
export const widthOf = (text: string): number => unpainted(text).length;

const styled = (text: string): string =>
  text.replace(anyMark, (mark) => {
    const name = names[mark.charCodeAt(0) - firstMark];
    return `${escape}${name === undefined ? '0' : styles[name]}m`;
  });

/** Text of `paint` as the stream shows it. */
export const forStream = (text: string, to: Stream): string => (shown[to] ? styled : unpainted)(text);

/** Escape sequences, for help; commander removes them where the stream has no colors. */
export const ansi = (style: Style, text: string): string => `${escape}${styles[style]}m${text}${escape}0m`;
const anySequence = new RegExp(`${escape.replace('[', '\\[')}\\d+m`, 'g');
export const withoutAnsi = (text: string): string => text.replace(anySequence, '');

/** Columns of a terminal of known size, else null. */
export function columnsOf({
  isTTY,
  columns,
}: {
  readonly isTTY?: boolean;
  readonly columns?: number;
}): number | null {
  return isTTY === true && columns !== undefined && columns >= 2 ? columns : null;
}

/** Width of help: the terminal’s, 80 columns otherwise. */
export const helpWidth = (): number => Math.max(40, columnsOf(process.stdout) ?? 80);

/** Lines of at most `width` columns, broken at spaces; a longer word has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(last) + 1 + widthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/**
 * A line of prose within the terminal: what follows has its indentation, and `more`. As it is where no terminal says its
 * width, as for whoever filters it.
 */
export function hanging(line: string, more = 0, width = columnsOf(process.stdout)): string {
  const text = line.trimStart();
  const indent = line.length - text.length;
  if (width === null) return line;
  return `${' '.repeat(indent)}${wrapped(text, width - indent - more).join(`\n${' '.repeat(indent + more)}`)}`;
}

/** Whoever reads may stop reading (`| head`): the work continues and says the rest to nobody. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
