import { largestOf } from '../../domain/statistics';
import { ansi, wrapped } from '../print/terminal';

/** A term, such as an option, and what it means. */
type HelpRow = readonly [term: string, text: string];

interface Example {
  readonly line: string;
  readonly what: string;
}

/** The help of a command, before it has a width. */
export interface HelpPage {
  readonly usage: string;
  readonly description: string;
  /** Arguments, options and commands, each group under its title. */
  readonly groups: readonly (readonly [title: string, rows: readonly HelpRow[]])[];
  readonly examples: readonly Example[];
  readonly exits: readonly HelpRow[];
  /** Paragraphs at the end. */
  readonly notes: readonly string[];
}

const indent = '  ';
const usageTitle = 'Usage: ';

const hung = (lines: readonly string[], by: string): string => lines.join(`\n${by}`);

/** A term that is longer than `termWidth` has a line of its own. */
function item([term, text]: HelpRow, termWidth: number, width: number): string {
  const painted = `${indent}${ansi('term', term)}`;
  if (text === '') return painted;
  const column = ' '.repeat(termWidth + 2 * indent.length);
  const lines = hung(wrapped(text, width - column.length), column);
  if (term.length > termWidth) return `${painted}\n${column}${lines}`;
  return `${painted}${' '.repeat(termWidth - term.length)}${indent}${lines}`;
}

/** Words outside of quotes; an option has its value beside it. */
function partsOf(line: string): readonly string[] {
  const parts: string[] = [];
  for (const word of line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    const option = /^-\S+$/.test(parts.at(-1) ?? '') && !word.startsWith('-');
    if (option) parts.push(`${parts.pop() ?? ''} ${word}`);
    else parts.push(word);
  }
  return parts;
}

/** Breaks a command line between its options, as a shell continues it. */
function commandLines(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of partsOf(line)) {
    const last = lines.at(-1);
    // Room for the " \" at its end.
    if (last === undefined || last.length + word.length + 3 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((one, at) => (at === lines.length - 1 ? one : `${one} \\`));
}

/** The examples, each with a comment. */
function examplesText(examples: readonly Example[], columns: number): string {
  const width = columns - indent.length;
  const lines = examples.flatMap(({ line, what }) => [
    ...wrapped(what, width - 2).map((text) => ansi('faint', `# ${text}`)),
    hung(commandLines(line, width - indent.length), indent.repeat(2)),
  ]);
  return `${ansi('title', 'Examples:')}\n${lines.map((line) => `${indent}${line}`).join('\n')}`;
}

function exitsText(exits: readonly HelpRow[], width: number): string {
  const first = largestOf(exits.map(([term]) => term.length));
  const rows = exits.map(([term, text]) => item([term.padEnd(first), text], first, width));
  return [ansi('title', 'Exit codes:'), ...rows].join('\n');
}

/** The page in so many columns, with colors as escape sequences. */
export function helpText(page: HelpPage, width: number): string {
  const { usage, description, groups, examples, exits, notes } = page;
  const longest = largestOf([0, ...groups.flatMap(([, rows]) => rows.map(([term]) => term.length))]);
  const termWidth = Math.min(longest, Math.floor(width / 3));
  const parts = [
    `${ansi('title', usageTitle.trim())} ${hung(wrapped(usage, width - usageTitle.length), ' '.repeat(usageTitle.length))}`,
    ...(description === '' ? [] : [wrapped(description, width).join('\n')]),
    ...groups.map(([title, rows]) =>
      [ansi('title', title), ...rows.map((row) => item(row, termWidth, width))].join('\n'),
    ),
    ...(examples.length === 0 ? [] : [examplesText(examples, width)]),
    ...(exits.length === 0 ? [] : [exitsText(exits, width)]),
    ...(notes.length === 0 ? [] : [notes.map((note) => wrapped(note, width).join('\n')).join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}
